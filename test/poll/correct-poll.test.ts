import { describe, expect, it } from 'vitest';
import { planCorrection, type WantedWording } from '../../src/poll/correct-poll.ts';
import { editedAtMs, type Poll, pollSettings, type Results } from '../../src/poll/poll.ts';

const POLL: Poll = {
  id: 'nobodyisHere',
  title: 'Wich song?',
  description: '',
  answers: [
    { id: 'a', text: 'Waterlo' },
    { id: 'b', text: 'Volare' },
  ],
  settings: pollSettings(),
  image: null,
  createdAtMs: 1,
};
const RESULTS: Results = {
  version: 1,
  votes: [0, 0],
  totalVoters: 0,
  status: 'open',
  deadlineMs: null,
  readAtMs: 5,
  resultsVisibility: 'always',
};
const VOTED = { ...RESULTS, totalVoters: 1 };

let fresh = 0;
function plan(wanted: WantedWording, poll: Poll = POLL, results: Results = RESULTS) {
  fresh += 1;
  const edition = `edition ${fresh}`;
  return planCorrection({ poll, results }, wanted, { edition, createAnswerId: () => `new ${fresh}` });
}

describe('a correction', () => {
  it('before the first ballot leaves no trace, and may change the answers', () => {
    const answers = [{ id: 'b', text: 'Volare' }, { text: 'Ne partez pas sans moi' }];
    const { correction } = plan({ title: 'Which song?', answers });
    expect(correction).toMatchObject({ isUnvoted: true, before: POLL, after: { title: 'Which song?' } });
    expect(correction?.after.answers.map(({ id }) => id)).toEqual(['b', `new ${fresh}`]);
    expect(correction?.after.edition).toBe(`edition ${fresh}`);
    expect(editedAtMs(correction!.after)).toBeUndefined();
  });

  it.each([
    ['ballots that count', VOTED],
    ['only voided ballots', { ...RESULTS, voidedVotes: 1 }],
  ])('of a poll with %s keeps the replaced texts', (_, results) => {
    const texts = [
      { id: 'a', text: 'Waterloo' },
      { id: 'b', text: 'Volare' },
    ];
    const { correction } = plan({ title: 'Which song?', answers: texts }, POLL, results);
    expect(correction).toMatchObject({ isUnvoted: false, after: { answers: texts } });
    expect(correction?.after.earlier).toEqual([
      { untilMs: 5, title: 'Wich song?', answers: [{ id: 'a', text: 'Waterlo' }] },
    ]);
    expect(editedAtMs(correction!.after)).toBe(5);
  });

  it.each([
    ['added', [{ id: 'a', text: 'A' }, { id: 'b', text: 'B' }, { text: 'C' }]],
    ['removed', [{ id: 'a', text: 'A' }]],
    [
      'moved',
      [
        { id: 'b', text: 'Volare' },
        { id: 'a', text: 'Waterlo' },
      ],
    ],
    ['replaced', [{ id: 'a', text: 'Waterlo' }, { text: 'Volare!' }]],
  ])('after the first ballot is rejected if an answer is %s', (_, answers) => {
    expect(plan({ answers }, POLL, VOTED).fault).toBe('ballots_cast');
    expect(plan({ answers }).correction).toBeDefined();
  });

  it('names an unknown id', () => {
    expect(
      plan({
        answers: [
          { id: 'a', text: 'A' },
          { id: 'x', text: 'B' },
        ],
      }),
    ).toEqual({
      fault: 'unknown_answer',
      index: 1,
    });
  });

  it('repeated changes nothing, also without ids', () => {
    const wanted = { title: 'T', description: 'D', answers: [{ text: 'Volare' }, { text: 'New' }] };
    const { after } = plan(wanted).correction!;
    expect(after.answers[0]?.id).toBe('b');
    expect(plan(wanted, after)).toEqual({ correction: undefined });
    expect(plan({}, after)).toEqual({ correction: undefined });
  });

  it('keeps ten earlier wordings, fewer if they are long, and at least one', () => {
    const correct = (poll: Poll, title: string) => plan({ title }, poll, VOTED).correction!.after;
    let poll = POLL;
    for (let at = 1; at <= 12; at += 1) poll = correct(poll, `Title ${at}`);
    expect(poll.earlier?.map(({ title }) => title)).toEqual(
      Array.from({ length: 10 }, (_, at) => `Title ${at + 2}`),
    );
    const long = { ...poll, title: 'x'.repeat(20_000) };
    expect(correct(long, 'short').earlier).toHaveLength(10);
    expect(
      correct({ ...long, earlier: [{ untilMs: 1, title: 'y'.repeat(10_000) }] }, 's').earlier,
    ).toHaveLength(1);
    expect(correct({ ...poll, title: 'x'.repeat(40_000) }, 'short').earlier).toHaveLength(1);
  });

  it.each<[rule: string, wanted: WantedWording, after: Partial<Poll>]>([
    ['ma', { allowMultiple: true }, { settings: pollSettings({ allowMultiple: true }) }],
    ['mip', { sharedAddress: true }, { settings: pollSettings({ sharedAddress: true }) }],
    ['priv', { isPrivate: true }, { settings: pollSettings({ isPrivate: true }) }],
    ['verifiable', { isVerifiable: true }, { settings: pollSettings({ isVerifiable: true }) }],
    ['answer_order', { answerOrder: 'random' }, { answerOrder: 'random' }],
  ])('of %s needs a poll without a ballot', (rule, wanted, after) => {
    const { correction } = plan(wanted);
    expect(correction).toMatchObject({ isUnvoted: true, after });
    expect(editedAtMs(correction!.after)).toBeUndefined();
    expect(plan(wanted, correction!.after)).toEqual({ correction: undefined });
    expect(plan(wanted, correction!.after, VOTED)).toEqual({ correction: undefined });
    expect(plan(wanted, POLL, VOTED)).toMatchObject({
      fault: 'rules_fixed',
      rules: expect.arrayContaining([rule]),
    });
  });

  it('names every rule that the first ballot has fixed', () => {
    const { fault, rules } = plan(
      { title: 'T', isVerifiable: true, sharedAddress: false, answerOrder: 'random' },
      POLL,
      VOTED,
    ) as { fault: string; rules: string[] };
    expect({ fault, rules }).toEqual({ fault: 'rules_fixed', rules: ['verifiable', 'answer_order'] });
  });

  it('of limits needs several answers in a ballot, and as many answers', () => {
    const several = plan({ allowMultiple: true, minChoices: 2 }).correction!.after;
    expect(several).toMatchObject({ minChoices: 2, settings: { allowMultiple: true } });
    expect(plan({ minChoices: 2 }).fault).toBe('multiple_missing');
    expect(plan({ maxChoices: 3 }, several).fault).toBe('choices_impossible');
    expect(plan({ maxChoices: 1 }, several).fault).toBe('choices_impossible');
    expect(plan({ minChoices: null }, several).correction?.after.minChoices).toBeUndefined();
    const single = plan({ allowMultiple: false }, several).correction!.after;
    expect(single.minChoices).toBeUndefined();
    expect(single.settings.allowMultiple).toBe(false);
  });

  it('takes the size of the log back with the log, and needs one for it', () => {
    const logged = plan({ isVerifiable: true, showLogSize: true }).correction!.after;
    expect(plan({ isVerifiable: false }, logged).correction?.after.settings.showLogSize).toBe(false);
    expect(plan({ showLogSize: true }).fault).toBe('log_missing');
  });

  it('lists no poll of a show, and changes who lists the poll in its first round only', () => {
    const ofShow = { ...POLL, settings: pollSettings({ isPrivate: true }), show: { name: 'show', id: 'x' } };
    expect(plan({ isPrivate: false }, ofShow).fault).toBe('show_unlisted');
    expect(plan({ isPrivate: true }, { ...POLL, round: 2 })).toEqual({
      fault: 'rules_fixed',
      rules: ['priv'],
    });
    expect(plan({ allowMultiple: true }, { ...POLL, round: 2 }).correction).toBeDefined();
  });
});
