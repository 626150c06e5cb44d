import { expect } from 'vitest';
import type { ChatPlatform } from '../../src/poll/chat-platform.ts';
import type { HiddenMessage } from '../../src/protocol/messages.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';
import { voidBallots } from '../support/void-ballots.ts';
import type { Subject } from './target.ts';

/** Longer than a sweep, so that all that a relay does by itself has been done. */
const WATCH_MS = 2_600;
const TOTALS_HZ = 2;
const FORMATS = [
  '',
  '?format=rows',
  '?format=csv',
  '?format=xml',
  '?format=text',
  '?since=2',
  '?key=',
  '?max_age=60',
  '?max_age=60&format=rows',
  '/picture.png?size=200x200',
  '/definition',
];

/** What happens while the outsider listens. */
interface History {
  /** The answer of each ballot, cast one after the other. */
  readonly answers: readonly number[];
  /** All are from the chat of a platform. */
  readonly source?: ChatPlatform;
  /** The creator removes all ballots at the end. */
  readonly removed?: true;
}
const MANY = Array.from({ length: 60 }, (_, index) => index % 2);
const HISTORIES: readonly History[] = [
  { answers: [] },
  { answers: [0] },
  { answers: MANY },
  { answers: MANY, source: 'twitch' },
  { answers: MANY, removed: true },
];

export async function hearNothing(subject: Subject, visibility: 'hidden' | 'after_vote'): Promise<void> {
  // All begin and end together, so that whatever else happens on the way happens to all.
  const outsiders = await Promise.all(HISTORIES.map(history => Outsider.open(subject, history, visibility)));
  await Promise.all(outsiders.map(outsider => outsider.watch()));
  const [untouched, ...others] = outsiders.map(outsider => outsider.leave());
  expect(untouched?.length).toBeGreaterThan(FORMATS.length);
  for (const other of others) expect(other).toEqual(untouched);
}

/**
 * With `show_total_while_hidden`, histories with the same total say the same, and messages differ
 * from those of an untouched poll in these two members only.
 */
export async function hearTotalsOnly(subject: Subject): Promise<void> {
  const polls = await Promise.all(
    [MANY, MANY.map(() => 0)].map(async answers => {
      const { id } = await subject.create({ results_visibility: 'hidden', show_total_while_hidden: true });
      const stream = await subject.poll(id, `?compact=1&hz=${TOTALS_HZ}`);
      return { id, answers, stream };
    }),
  );
  const told = polls.map(async ({ id, answers, stream }) => {
    await stream.until(() => stream.messages.length > 0, 'the poll');
    const beganMs = performance.now();
    for (const answer of answers) await subject.cast(id, answer);
    const heard = () => stream.messages as readonly HiddenMessage[];
    const isWhole = () => heard().at(-1)?.total_votes === answers.length;
    await stream.until(isWhole, 'the total');
    const most = 2 + ((performance.now() - beganMs) / 1_000) * TOTALS_HZ;
    stream.close();
    const [first, ...others] = heard();
    expect(first).toMatchObject({ type: 'hidden', total_votes: 0, total_voters: 0 });
    expect(others.length).toBeLessThanOrEqual(most);
    for (const { total_votes, total_voters, ...message } of others) {
      expect(total_voters).toBe(total_votes);
      expect({ ...message, total_votes: 0, total_voters: 0 }).toEqual(first);
    }
    const reply = await fetch(`${subject.url}/api/poll/${id}`);
    expect([reply.status, reply.headers.get('etag')]).toEqual([401, null]);
    const { poll_answers, ...last } = heard().at(-1)!;
    const answersAlike = poll_answers.map(answer => ({ ...answer, id: '' }));
    return JSON.stringify({ ...last, id: '', poll_answers: answersAlike });
  });
  const [one, other] = await Promise.all(told);
  expect(other).toBe(one);
}

/** Hears every byte that an outsider can get of one poll while ballots are cast. */
class Outsider {
  readonly #subject: Subject;
  readonly #history: History;
  readonly #id: string;
  readonly #answers: readonly string[];
  readonly #open: readonly RawSocket[];
  readonly #replies: string[] = [];

  constructor(subject: Subject, history: History, id: string, answers: string[], open: RawSocket[]) {
    this.#subject = subject;
    this.#history = history;
    this.#id = id;
    this.#answers = answers;
    this.#open = open;
  }

  static async open(subject: Subject, history: History, results_visibility: string): Promise<Outsider> {
    const { id } = await subject.create({ results_visibility });
    const answers = (await subject.engine.polls.find(id))?.poll.answers ?? [];
    const version = history.answers.length + 1;
    const path = `/api/poll/${id}/live`;
    const open = [
      await RawSocket.upgrade(subject.url, path),
      await RawSocket.upgrade(subject.url, `${path}?since=2&hz=20`),
      await RawSocket.upgrade(subject.url, `${path}?compact=1&hz=20`),
      await RawSocket.upgrade(subject.url, `${path}?since=${version}`),
    ];
    for (const lastEventId of ['', `Last-Event-ID: ${version}\r\n`]) {
      const raw = await RawSocket.open(subject.url);
      raw.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n${lastEventId}\r\n`);
      open.push(raw);
    }
    return new Outsider(
      subject,
      history,
      id,
      answers.map(answer => answer.id),
      open,
    );
  }

  async watch(): Promise<void> {
    const endsAt = performance.now() + WATCH_MS;
    const { answers, source, removed } = this.#history;
    for (const answer of answers) await this.#subject.cast(this.#id, answer, 1, source);
    if (removed)
      await voidBallots(this.#subject.engine.polls, this.#id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    for (const method of ['GET', 'HEAD'])
      for (const query of FORMATS)
        this.#replies.push(await this.#read(`${method} /api/poll/${this.#id}${query} HTTP/1.1`));
    this.#replies.push(await this.#read(`GET /api/poll/${this.#id} HTTP/1.1\r\nIf-None-Match: *`));
    await until(() => performance.now() > endsAt, 'a sweep');
  }

  /** @returns what was heard, but for what differs between any two polls made alike */
  leave(): string[] {
    const heard = this.#open.map(raw => raw.received.toString());
    for (const raw of this.#open) raw.close();
    return [...this.#replies, ...heard].map(text => {
      const alike = text
        .replaceAll(this.#id, '<id>')
        .replace(/(x-request-id: |"request_id":")[^"\r]+/gi, '$1<request id>')
        .replace(/date: [^\r]+/i, 'date: <now>')
        // Of the definition, which has the ids.
        .replace(/etag: "[\w-]{16}"/i, 'etag: <of the ids>')
        .replace(/\nretry: \d{4}\n/, '\nretry: <random>\n');
      // A proxy on the way cuts a stream as its packets come.
      const whole = this.#subject.isOwn ? alike : alike.replace(/\r\n[0-9a-f]+\r\n/g, '');
      return this.#answers.reduce((all, answer, index) => all.replaceAll(answer, `<${index}>`), whole);
    });
  }

  async #read(head: string): Promise<string> {
    for (;;) {
      const raw = await RawSocket.open(this.#subject.url);
      raw.send(`${head}\r\nHost: a\r\nConnection: close\r\n\r\n`);
      await until(() => raw.closed, 'the reply');
      // An engine that is late on a busy machine is late for any poll.
      if (!raw.text.startsWith('HTTP/1.1 503')) return raw.received.toString();
    }
  }
}
