import { ballots, engineCallSeconds, failedEngineCalls } from '../metrics/catalogue.ts';
import { BALLOT_OUTCOMES, type BallotOutcome } from '../poll/ballot.ts';
import type { Engine } from './engine.ts';
import { boundMethods, engineWith } from './engine-with.ts';

type Call = (...args: never[]) => Promise<unknown>;

/** What takes as long as its reader wants, and what the engine itself calls. */
const UNTIMED = ['readBallots', 'tidy', 'close'];

const COUNTS = new Map(
  ([...BALLOT_OUTCOMES, 'unanswered'] as const).map(outcome => [outcome, ballots.of({ outcome })]),
);

/** Counts and times the calls of an engine. Costs some 0.3 µs a call, so it is used only with metrics on. */
export function measuredEngine(engine: Engine): Engine {
  const polls = timed('polls', engine.polls);
  return engineWith(engine, {
    polls: {
      ...polls,
      cast: ballot => {
        const receipt = polls.cast(ballot);
        receipt.then(({ outcome }) => count(outcome)).catch(() => count('unanswered'));
        return receipt;
      },
    },
    records: timed('records', engine.records),
    events: timed('events', engine.events),
    comments: timed('comments', engine.comments),
  });
}

function count(outcome: BallotOutcome | 'unanswered'): void {
  COUNTS.get(outcome)!.value += 1;
}

function timed<Port extends object>(portName: string, port: Port): Port {
  const calls = Object.entries(boundMethods(port)).map(([name, call]) => [
    name,
    UNTIMED.includes(name) ? call : timedCall(call, `${portName}.${name}`),
  ]);
  return Object.fromEntries(calls) as Port;
}

function timedCall(call: Call, operation: string): Call {
  const seconds = engineCallSeconds.of({ operation });
  const failed = failedEngineCalls.of({ operation });
  return (...args) => {
    const beganMs = performance.now();
    const reply = call(...args);
    const observe = () => seconds.observe(performance.now() - beganMs);
    reply.then(observe, () => {
      observe();
      failed.value += 1;
    });
    return reply;
  };
}
