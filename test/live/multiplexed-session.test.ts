import { expect, it } from 'vitest';
import { Connection } from '../../src/live/connection.ts';
import type { Hub } from '../../src/live/hub.ts';
import { serveMany } from '../../src/live/multiplexed-session.ts';
import type { Interest, Seat } from '../../src/live/subscription.ts';
import type { Session, WebsocketConnection } from '../../src/live/websocket-connection.ts';
import { PollRemoved } from '../../src/protocol/close-event.ts';
import type { ShowBoard } from '../../src/show/show-board.ts';
import { WireStub } from './wire-stub.ts';

const ID = 'stubbedPoll1';

/** A session on a wire that a test blocks, above a hub that only notes who came and went. */
function open() {
  const wire = new WireStub();
  const connection = new Connection(wire, performance.now()) as WebsocketConnection;
  const subscribed = new Map<string, Interest & { seat: Seat }>();
  const hub = {
    subscribe: (id: string, interest: Interest) => {
      const seat = { id, leave: () => subscribed.delete(id) } as unknown as Seat;
      subscribed.set(id, { ...interest, seat });
      return seat;
    },
  } as unknown as Hub;
  const unfollowed: string[] = [];
  const onAir = { put: (_: string): void => {} };
  const shows = {
    follow: (show: string, listener: (id: string) => void) => {
      onAir.put = listener;
      return () => unfollowed.push(show);
    },
  } as unknown as ShowBoard;
  serveMany({
    hub,
    shows,
    connection,
    query: { hz: 7, compact: false, preview: false },
    key: undefined,
    isOperatorKey: () => false,
  });
  const session = connection.session as Session;
  return {
    wire,
    session,
    subscribed,
    unfollowed,
    onAir,
    say: (message: object) => session.message(JSON.stringify(message)),
  };
}

it('what ends while the wire is blocked is told when it is free: nobody shows a poll for ever that is gone', () => {
  const { wire, session, subscribed, say } = open();
  say({ type: 'subscribe', id: ID });
  wire.isFull = true;
  say({ type: 'subscribe', id: 'no poll' });
  session.end(subscribed.get(ID)!.seat, PollRemoved);
  say({ type: 'subscribe', id: 'none either' });
  wire.free();
  expect(wire.written.map(json => JSON.parse(json).id)).toEqual(['no poll', ID, 'none either']);
});

it('leaves every poll and every show when the connection is gone', () => {
  const { session, subscribed, unfollowed, say } = open();
  say({ type: 'subscribe', id: ID });
  say({ type: 'subscribe', id: 'stubbedPoll2' });
  say({ type: 'follow', show: 'friday-night' });
  expect([...subscribed.values()].map(({ hz }) => hz)).toEqual([7, 7]);
  session.close();
  expect([subscribed.size, unfollowed]).toEqual([0, ['friday-night']]);
});

it('refuses the poll on air above a hundred others, and goes on delivering it for the show', () => {
  const { wire, subscribed, onAir, say } = open();
  for (let at = 0; at < 100; at += 1)
    say({ type: 'subscribe', id: `stubbedPol${String(at).padStart(2, '0')}` });
  say({ type: 'follow', show: 'friday-night' });
  onAir.put(ID);
  const seat = subscribed.get(ID)?.seat;
  say({ type: 'subscribe', id: ID });
  expect(JSON.parse(wire.written.at(-1)!)).toMatchObject({ type: 'error', code: 'rate_limited', id: ID });
  expect(subscribed.get(ID)?.seat).toBe(seat);
  // One of the hundred is no poll more: its key is replaced.
  say({ type: 'subscribe', id: 'stubbedPol00', key: 'view_new' });
  expect(subscribed.get('stubbedPol00')?.key?.carrier).toBe('message');
});
