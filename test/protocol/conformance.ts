import { afterAll, beforeAll, describe } from 'vitest';
import { compactClaims } from './compact-claims.ts';
import { connectingClaims } from './connecting-claims.ts';
import { eventStreamClaims } from './event-stream-claims.ts';
import { limitClaims } from './limit-claims.ts';
import { loadClaims } from './load-claims.ts';
import { messageClaims } from './message-claims.ts';
import { multiplexedClaims } from './multiplexed-claims.ts';
import { promiseClaims } from './promise-claims.ts';
import { rehearsalClaims } from './rehearsal-claims.ts';
import { showClaims } from './show-claims.ts';
import { Subject, type Target } from './target.ts';

/** One test for each MUST of PROTOCOL.md, titled with its number. Knows a relay from outside only. */
export function conformance(name: string, open: () => Promise<Target>): void {
  describe(name, () => {
    /** Undefined where it could not be opened, which `beforeAll` has said. */
    let opened: Target | undefined;
    beforeAll(async () => {
      opened = await open();
    });
    const subject = new Subject(() => opened as Target);
    afterAll(async () => {
      subject.closeAll();
      await opened?.close();
    });

    // Nearly all of the time is spent waiting for what a relay does by the clock, so the claims wait together.
    describe.concurrent('on one relay', () => {
      describe('connecting', () => connectingClaims(subject));
      describe('messages', () => messageClaims(subject));
      describe('compact messages', () => compactClaims(subject));
      describe('many polls on one socket', () => multiplexedClaims(subject));
      describe('shows', () => showClaims(subject));
      describe('limits', () => limitClaims(subject));
      describe('server-sent events', () => eventStreamClaims(subject));
      describe('promises', () => promiseClaims(subject));
      describe('the simulated poll', () => rehearsalClaims(subject));
    });
    describe.concurrent('promises under load', () => loadClaims(subject));
  });
}
