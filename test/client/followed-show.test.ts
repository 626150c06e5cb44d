import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { RelayLink } from '../../src/client/relay-link.ts';
import type { ErrorMessage, ShowMessage } from '../../src/protocol/messages.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { type TestShow, takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { Recorder } from './recorder.ts';

let relay: TestRelay;
let show: TestShow;
let link: RelayLink;
/** Every message that the link has sent. */
let said: { type: string; id?: string }[];

class ListenedSocket extends WebSocket {
  override send(text: string): void {
    said.push(JSON.parse(text));
    super.send(text);
  }
}

beforeEach(async () => {
  relay = await startTestRelay();
  show = await takeShow(relay);
  said = [];
  link = new RelayLink(relay.url, { WebSocket: ListenedSocket as never });
});

afterEach(async () => {
  link.close();
  await relay.close();
});

it('takes the first message of a poll with the switch, and asks for none', async () => {
  const ids = await show.fill(2);
  const seen = new Recorder();
  link.follow(show.name, seen);
  for (const id of ids) {
    await show.press('next');
    await seen.until(({ results }) => results.at(-1)?.id === id);
  }
  await relay.cast(ids[1]!);
  await seen.until(({ results }) => results.at(-1)?.total_votes === 1);
  expect(said).toEqual([{ type: 'follow', show: show.name }]);
});

it('keeps a poll that is watched for itself, too, when the show moves on', async () => {
  const [id] = await show.fill(2);
  const [seen, own] = [new Recorder(), new Recorder()];
  link.follow(show.name, seen);
  await show.press('next');
  await seen.until(({ results }) => results.length === 1);
  link.watch(id!, own);
  await until(() => said.length === 2, 'the subscription');
  await show.press('next');
  await seen.until(({ results }) => results.at(-1)?.id !== id);
  await relay.cast(id!);
  await own.until(({ results }) => results.at(-1)?.total_votes === 1);
});

it.each(['by WebSocket', 'by reading'])(
  'tells a desk the whole show, and when its key is none any more, %s',
  async way => {
    const isReading = way === 'by reading';
    if (isReading) link = new RelayLink(relay.url, { WebSocket: Forbidden as never, clock: hasty() });
    const [told, refused]: [ShowMessage[], ErrorMessage[]] = [[], []];
    link.follow(show.name, {
      showKey: show.key,
      onResults: () => {},
      onChange: message => told.push(message),
      onRefused: error => refused.push(error),
    });
    const [id] = await show.fill(1);
    await until(() => told.at(-1)?.rundown?.length === 1, 'the run-down');
    await show.press('next');
    await until(() => told.at(-1)?.id === id, 'the switch');
    expect(told.at(-1)).toMatchObject({ type: 'show', own: [id], place: id, version: 3 });
    show.key = (await show.press('show_key')).json.show_key;
    await until(() => refused.length > 0, 'the end of the key');
    expect(refused[0]).toMatchObject({ type: 'error', code: 'api_key_rejected', show: show.name });
  },
);

/** As where the policy of a page forbids it. */
class Forbidden {
  constructor() {
    throw new Error('forbidden');
  }
}

/** Pauses between two reads are short. */
function hasty() {
  return {
    now: () => performance.now(),
    random: () => 0,
    after: (ms: number, act: () => void) => {
      const timer = setTimeout(act, ms / 100);
      return () => clearTimeout(timer);
    },
  };
}
