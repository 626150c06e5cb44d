import { expect, it } from 'vitest';
import type { Hub } from '../../src/live/hub.ts';
import { MultiplexedSession } from '../../src/live/session.ts';
import type { Subscription, SubscriptionOptions } from '../../src/live/subscription.ts';
import { PollRemoved } from '../../src/protocol/close-event.ts';
import type { PublicShow } from '../../src/show/show.ts';
import type { ShowBoard } from '../../src/show/show-board.ts';
import type { ButtonBoard } from '../../src/show/show-buttons.ts';
import { ConnectionStub } from './connection-stub.ts';

const ID = 'stubbedPoll1';

/** A session on a connection that a test blocks, with a hub that only notes its subscriptions. */
function open() {
  const connection = new ConnectionStub();
  const subscribed = new Map<string, SubscriptionOptions & { subscription: Subscription }>();
  const hub = {
    subscribe: (id: string, options: SubscriptionOptions) => {
      const subscription = { id, leave: () => subscribed.delete(id) } as unknown as Subscription;
      subscribed.set(id, { ...options, subscription });
      return subscription;
    },
    countScreen: () => {},
  } as unknown as Hub;
  const unfollowed: string[] = [];
  const onAir = { put: (_: string): void => {} };
  const shows = {
    followPublic: (show: string, listener: (found: PublicShow) => void) => {
      onAir.put = id => listener({ id });
      return () => unfollowed.push(show);
    },
  } as unknown as ShowBoard;
  const query = { hz: 7, compact: false, preview: false };
  const buttons = {} as ButtonBoard;
  const services = { hub, shows, buttons, isOperatorKey: () => false };
  const session = new MultiplexedSession(services, { key: undefined, query }, connection);
  return {
    connection,
    session,
    subscribed,
    unfollowed,
    onAir,
    say: (message: object) => session.message(JSON.stringify(message)),
  };
}

it('the end of a poll is sent on drain if the connection is blocked', () => {
  const { connection, session, say } = open();
  say({ type: 'subscribe', id: ID });
  connection.isFull = true;
  say({ type: 'subscribe', id: 'no poll' });
  session.onSubscriptionEnd(ID, PollRemoved);
  say({ type: 'subscribe', id: 'none either' });
  connection.drain();
  expect(connection.written.map(json => JSON.parse(json).id)).toEqual(['no poll', ID, 'none either']);
});

it('leaves every poll and every show when the connection is closed', () => {
  const { session, subscribed, unfollowed, say } = open();
  say({ type: 'subscribe', id: ID });
  say({ type: 'subscribe', id: 'stubbedPoll2' });
  say({ type: 'follow', show: 'friday-night' });
  expect([...subscribed.values()].map(({ hz }) => hz)).toEqual([7, 7]);
  session.close();
  expect([subscribed.size, unfollowed]).toEqual([0, ['friday-night']]);
});

it('counts no poll that the client has left', () => {
  const { connection, subscribed, say } = open();
  for (let at = 0; at < 101; at += 1) {
    say({ type: 'subscribe', id: `stubbedPo${String(at).padStart(3, '0')}` });
    say({ type: 'unsubscribe', id: `stubbedPo${String(at).padStart(3, '0')}` });
  }
  say({ type: 'subscribe', id: ID });
  expect([[...subscribed.keys()], connection.messages]).toEqual([[ID], []]);
});

it('rejects a subscription to the poll on air above the limit, and keeps it for the show', () => {
  const { connection, subscribed, onAir, say } = open();
  for (let at = 0; at < 100; at += 1)
    say({ type: 'subscribe', id: `stubbedPol${String(at).padStart(2, '0')}` });
  say({ type: 'follow', show: 'friday-night' });
  onAir.put(ID);
  const subscription = subscribed.get(ID)?.subscription;
  say({ type: 'subscribe', id: ID });
  expect(connection.messages.at(-1)).toMatchObject({ type: 'error', code: 'rate_limited', id: ID });
  expect(subscribed.get(ID)?.subscription).toBe(subscription);
  // One of the hundred is not one more: its key is replaced.
  say({ type: 'subscribe', id: 'stubbedPol00', key: 'view_new' });
  expect(subscribed.get('stubbedPol00')?.key?.carrier).toBe('message');
});
