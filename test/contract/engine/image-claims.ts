import { expect, it } from 'vitest';
import { planCorrection, planImage } from '../../../src/poll/correct-poll.ts';
import { createEdition } from '../../../src/poll/create-poll.ts';
import type { EncodedImage, NewPoll, PollId } from '../../../src/poll/poll.ts';
import { readArchived } from './archive-claims.ts';
import { ballotFor, type EngineSubject, expectSound, newPoll, openPoll, readPoll } from './engine-subject.ts';

const fileOf = (digit: string) => `${digit.repeat(64)}.png`;
const [ONE, TWO] = ['1', '2'].map(
  (digit): EncodedImage => ({
    file: fileOf(digit),
    data: Buffer.from(digit.repeat(3_000)).toString('base64'),
  }),
) as [EncodedImage, EncodedImage];

/** The images of a poll's answers live and end with the poll. */
export function imageClaims(subject: EngineSubject): void {
  /** @param answer undefined for the question */
  async function setImage(
    { poll: { id } }: NewPoll,
    answer: number | undefined,
    image?: EncodedImage,
  ): Promise<boolean> {
    const reading = await readPoll(subject.engine, id);
    const answerId = answer === undefined ? undefined : reading.poll.answers[answer]!.id;
    const correction = planImage(reading, answerId, image, createEdition());
    return subject.engine.polls.change(id, { correction });
  }
  const found = (id: PollId) =>
    Promise.all([ONE, TWO].map(({ file }) => subject.other.polls.findImage(id, file)));

  it('stores an image with the correction that names it, and keeps the votes', async () => {
    const made = await openPoll(subject);
    const { id, answers } = made.poll;
    await subject.engine.polls.cast(ballotFor(made, { answers: [answers[1]!.id] }));
    expect(await found(id)).toEqual([undefined, undefined]);
    expect(await setImage(made, 1, ONE)).toBe(true);
    expect(await found(id)).toEqual([ONE.data, undefined]);
    const { poll, results } = await readPoll(subject.other, id);
    expect(poll.answers.map(({ image }) => image)).toEqual([undefined, ONE.file, undefined]);
    expect(poll.earlier).toBeUndefined();
    expect(results.votes).toEqual([0, 1, 0]);
    await expectSound(subject.other, id);
  });

  it('stores the point of a crop, which ends with its image', async () => {
    const made = await openPoll(subject);
    const { id, answers } = made.poll;
    await setImage(made, 0, ONE);
    await setImage(made, undefined, ONE);
    const wanted = {
      answers: [0, 1].map(at => ({ id: answers[at]!.id, imageFocus: [10 * at, 99.5] as const })),
      imageFocus: [100, 0] as const,
    };
    const reading = await readPoll(subject.engine, id);
    const fresh = { edition: createEdition(), createAnswerId: createEdition };
    const { correction } = planCorrection(reading, wanted, fresh);
    expect(await subject.engine.polls.change(id, { correction })).toBe(true);
    const points = async () => {
      const { poll } = await readPoll(subject.other, id);
      return [poll, ...poll.answers].map(({ imageFocus }) => imageFocus);
    };
    const all = [wanted.imageFocus, ...wanted.answers.map(({ imageFocus }) => imageFocus), undefined];
    expect(await points()).toEqual(all);
    expect((await readArchived(subject.engine, id)).poll.poll.imageFocus).toEqual([100, 0]);
    // It was given for the first image of that answer.
    await setImage(made, 1, ONE);
    expect(await points()).toEqual(all);
    await setImage(made, undefined, TWO);
    await setImage(made, 0);
    await setImage(made, 1, TWO);
    expect(await points()).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('frees an image once no answer has it', async () => {
    const made = await openPoll(subject);
    const { id } = made.poll;
    await setImage(made, 0, ONE);
    await setImage(made, 1, ONE);
    await setImage(made, 0, TWO);
    expect(await found(id)).toEqual([ONE.data, TWO.data]);
    await setImage(made, 1);
    expect(await found(id)).toEqual([undefined, TWO.data]);
    const reading = await readPoll(subject.engine, id);
    const answers = reading.poll.answers.slice(1).map(answer => ({ id: answer.id, text: answer.text }));
    const fresh = { edition: createEdition(), createAnswerId: createEdition };
    const { correction } = planCorrection(reading, { answers }, fresh);
    expect(await subject.engine.polls.change(id, { correction })).toBe(true);
    expect(await found(id)).toEqual([undefined, undefined]);
  });

  it('frees the image of a question once neither it nor an answer has it', async () => {
    const made = await openPoll(subject);
    const { id } = made.poll;
    await setImage(made, undefined, ONE);
    await setImage(made, 0, ONE);
    await setImage(made, undefined, TWO);
    expect(await found(id)).toEqual([ONE.data, TWO.data]);
    const { poll, entries } = await readArchived(subject.engine, id);
    expect(poll.poll.image).toBe(TWO.file);
    expect(entries.filter(({ type }) => type === 'image')).toHaveLength(2);
    await setImage(made, 0);
    await setImage(made, undefined);
    expect(await found(id)).toEqual([undefined, undefined]);
  });

  it('stores nothing of an image whose correction comes too late, or whose poll is gone', async () => {
    const made = await openPoll(subject);
    const { id, answers } = made.poll;
    const reading = await readPoll(subject.engine, id);
    const late = planImage(reading, answers[0]!.id, TWO, createEdition());
    await setImage(made, 0, ONE);
    expect(await subject.engine.polls.change(id, { correction: late })).toBe(false);
    expect(await found(id)).toEqual([ONE.data, undefined]);
    await subject.engine.polls.remove(id);
    expect(await subject.engine.polls.change(id, { correction: late })).toBe(false);
    expect(await found(id)).toEqual([undefined, undefined]);
    const { entries } = await readArchived(subject.engine, id);
    expect(entries).toEqual([]);
  });

  it('ends with one image and one owner of each when uploads race', async () => {
    const made = await openPoll(subject);
    const { id } = made.poll;
    await Promise.all([setImage(made, 0, ONE), setImage(made, 0, TWO), setImage(made, 1, TWO)]);
    const { poll } = await readPoll(subject.other, id);
    const named = new Set(poll.answers.flatMap(({ image }) => image ?? []));
    const stored = await found(id);
    expect([ONE, TWO].map(({ file }) => named.has(file))).toEqual(stored.map(data => data !== undefined));
  });

  it('creates a poll with its images, and removes them with it', async () => {
    const { poll, ...rest } = newPoll({}, await subject.engine.polls.now());
    const [first, ...others] = poll.answers;
    const answers = [{ ...first!, color: '#00ff7f', image: ONE.file }, ...others];
    const made = { ...rest, poll: { ...poll, answers }, images: [ONE] };
    expect(await subject.engine.polls.create(made)).toBe(true);
    expect((await readPoll(subject.other, poll.id)).poll.answers).toEqual(answers);
    expect(await found(poll.id)).toEqual([ONE.data, undefined]);
    await subject.engine.polls.remove(poll.id);
    expect(await found(poll.id)).toEqual([undefined, undefined]);
  });

  it('exports and imports images with their poll', async () => {
    const made = await openPoll(subject);
    const { id } = made.poll;
    await setImage(made, 2, TWO);
    const { poll, entries } = await readArchived(subject.engine, id);
    expect(entries.filter(({ type }) => type === 'image')).toEqual([{ type: 'image', ...TWO }]);
    await subject.engine.polls.remove(id);
    async function* batches() {
      yield entries;
    }
    expect(await subject.engine.archive.addPoll(poll, batches())).toBe(true);
    expect(await found(id)).toEqual([undefined, TWO.data]);
    expect((await readPoll(subject.other, id)).poll).toEqual(poll.poll);
  });
}
