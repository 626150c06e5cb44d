import { afterAll, beforeAll, describe } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { againClaims } from './engine/again-claims.ts';
import { archiveClaims } from './engine/archive-claims.ts';
import { ballotClaims } from './engine/ballot-claims.ts';
import { changeClaims } from './engine/change-claims.ts';
import { commentClaims } from './engine/comment-claims.ts';
import { correctionClaims } from './engine/correction-claims.ts';
import { deadlineClaims } from './engine/deadline-claims.ts';
import type { EngineSubject } from './engine/engine-subject.ts';
import { eventClaims } from './engine/event-claims.ts';
import { hintClaims } from './engine/hint-claims.ts';
import { imageClaims } from './engine/image-claims.ts';
import { joinCodeClaims } from './engine/join-code-claims.ts';
import { logClaims } from './engine/log-claims.ts';
import { modelClaims } from './engine/model-claims.ts';
import { operatorKeyClaims } from './engine/operator-key-claims.ts';
import { pollClaims } from './engine/poll-claims.ts';
import { recordClaims } from './engine/record-claims.ts';
import { revealClaims } from './engine/reveal-claims.ts';
import { showClaims } from './engine/show-claims.ts';
import { voidClaims } from './engine/void-claims.ts';

export interface OpenedEngine {
  readonly engine: Engine;
  /** Opens a second engine on the same store, as another process would. */
  readonly another?: (() => Promise<Engine>) | undefined;
}

/** Every MUST of the ports that can be tested without faults. Each engine must pass. */
export function engineContract(name: string, open: () => Promise<OpenedEngine>): void {
  // Concurrent, because many claims wait for a deadline.
  describe.concurrent(name, () => {
    let engine: Engine;
    let other: Engine;

    beforeAll(async () => {
      const opened = await open();
      engine = opened.engine;
      other = (await opened.another?.()) ?? engine;
    });
    afterAll(async () => {
      if (other !== engine) await other.close();
      await engine.close();
    });

    const subject: EngineSubject = {
      get engine() {
        return engine;
      },
      get other() {
        return other;
      },
    };
    describe('polls', () => {
      describe('created, read, changed and removed', () => pollClaims(subject));
      describe('ballots', () => ballotClaims(subject));
      describe('changes of ballots', () => changeClaims(subject));
      describe('rounds', () => againClaims(subject));
      describe('deadlines', () => deadlineClaims(subject));
      describe('corrections', () => correctionClaims(subject));
      describe('a reveal by steps', () => revealClaims(subject));
      describe('images of answers', () => imageClaims(subject));
      describe('voided ballots', () => voidClaims(subject));
      describe('verifiable ballots', () => logClaims(subject));
      describe('any history', () => modelClaims(subject));
    });
    describe('hints', () => hintClaims(subject));
    describe('events', () => eventClaims(subject));
    describe('records', () => recordClaims(subject));
    describe('comments', () => commentClaims(subject));
    describe('an archive', () => archiveClaims(subject));
    describe('shows', () => showClaims(subject));
    describe('a join code', () => joinCodeClaims(subject));
    describe('an operator’s key', () => operatorKeyClaims(subject));
  });
}
