import { expect } from 'vitest';
import { RawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';
import type { Subject } from './target.ts';

/** Longer than a sweep, so that all that a relay does by itself has been done. */
const WATCH_MS = 2_600;
const FORMATS = ['', '?format=rows', '?format=csv', '?format=xml', '?format=text', '?since=2', '?key='];

/** Ballots of one history: the answer of each, cast one after the other while the outsider listens. */
type History = readonly number[];
const HISTORIES: readonly History[] = [[], [0], Array.from({ length: 60 }, (_, index) => index % 2)];

export async function hearNothing(subject: Subject): Promise<void> {
  const [untouched, ...others] = await Promise.all(HISTORIES.map(history => outsiderHears(subject, history)));
  expect(untouched?.length).toBeGreaterThan(FORMATS.length);
  for (const other of others) expect(other).toEqual(untouched);
}

/** Every byte that an outsider can get while ballots are cast, with what differs between any two polls made alike. */
async function outsiderHears(subject: Subject, history: History): Promise<string[]> {
  const { id } = await subject.create({ results_visibility: 'hidden' });
  const answers = (await subject.engine.polls.find(id))?.poll.answers ?? [];
  const path = `/api/poll/${id}/live`;
  const sockets = [
    await RawSocket.upgrade(subject.url, path),
    await RawSocket.upgrade(subject.url, `${path}?since=2&hz=20`),
    await RawSocket.upgrade(subject.url, `${path}?since=${history.length + 1}`),
  ];
  const streams = [];
  for (const lastEventId of ['', `Last-Event-ID: ${history.length + 1}\r\n`]) {
    const raw = await RawSocket.open(subject.url);
    raw.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n${lastEventId}\r\n`);
    streams.push(raw);
  }
  const endsAt = performance.now() + WATCH_MS;
  for (const answer of history) await subject.cast(id, answer);
  const replies = [];
  for (const method of ['GET', 'HEAD'])
    for (const query of FORMATS)
      replies.push(await readRaw(subject, `${method} /api/poll/${id}${query} HTTP/1.1`));
  replies.push(await readRaw(subject, `GET /api/poll/${id} HTTP/1.1\r\nIf-None-Match: *`));
  await until(() => performance.now() > endsAt, 'a sweep');

  const heard = [...sockets, ...streams].map(raw => raw.received.toString());
  for (const raw of [...sockets, ...streams]) raw.close();
  return [...replies, ...heard].map(text => {
    const alike = text.replaceAll(id, '<id>').replace(/date: [^\r]+/i, 'date: <now>');
    return answers.reduce((all, answer, index) => all.replaceAll(answer.id, `<${index}>`), alike);
  });
}

async function readRaw(subject: Subject, head: string): Promise<string> {
  const raw = await RawSocket.open(subject.url);
  raw.send(`${head}\r\nHost: a\r\nConnection: close\r\n\r\n`);
  await until(() => raw.closed, 'the reply');
  return raw.received.toString();
}
