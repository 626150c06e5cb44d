import { expect, it } from 'vitest';
import type { Hub } from '../../src/hub/hub.ts';
import type { Interest, Seat } from '../../src/hub/seat.ts';
import { PollRemoved } from '../../src/protocol/close-event.ts';
import type { ShowBoard } from '../../src/show/show-board.ts';
import { Connection } from '../../src/transport/connection.ts';
import type { Session, WebsocketConnection } from '../../src/transport/websocket/accept-websocket.ts';
import { serveMany } from '../../src/transport/websocket/multiplexed-socket.ts';
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
  const shows = { follow: (show: string) => () => unfollowed.push(show) } as unknown as ShowBoard;
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
