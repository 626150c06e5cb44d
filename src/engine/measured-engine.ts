import { ballots, engineCallSeconds, failedEngineCalls } from '../metrics/catalogue.ts';
import type { BallotOutcome } from '../poll/ballot.ts';
import type { Engine } from './engine.ts';
import { boundMethods, engineWith } from './engine-with.ts';

type Call = (...args: never[]) => Promise<unknown>;

/** What takes as long as its reader wants, and what the engine itself calls. */
const UNTIMED = ['readBallots', 'tidy', 'close'];

/** As an object, so that a missing outcome fails to compile. */
const OUTCOMES: Record<BallotOutcome | 'unanswered', { value: number }> = {
  accepted: ballots.of({ outcome: 'accepted' }),
  repeated: ballots.of({ outcome: 'repeated' }),
  duplicate_voter: ballots.of({ outcome: 'duplicate_voter' }),
  duplicate_address: ballots.of({ outcome: 'duplicate_address' }),
  round_over: ballots.of({ outcome: 'round_over' }),
  poll_closed: ballots.of({ outcome: 'poll_closed' }),
  poll_not_open: ballots.of({ outcome: 'poll_not_open' }),
  poll_not_found: ballots.of({ outcome: 'poll_not_found' }),
  sign_in_required: ballots.of({ outcome: 'sign_in_required' }),
  vpn_rejected: ballots.of({ outcome: 'vpn_rejected' }),
  invalid_answers: ballots.of({ outcome: 'invalid_answers' }),
  name_required: ballots.of({ outcome: 'name_required' }),
  proof_used: ballots.of({ outcome: 'proof_used' }),
  change_not_allowed: ballots.of({ outcome: 'change_not_allowed' }),
  too_many_changes: ballots.of({ outcome: 'too_many_changes' }),
  unanswered: ballots.of({ outcome: 'unanswered' }),
};

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

function count(outcome: keyof typeof OUTCOMES): void {
  OUTCOMES[outcome].value += 1;
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
