import { ballots, engineCallSeconds, failedEngineCalls } from '../metrics/catalogue.ts';
import type { BallotOutcome } from '../poll/ballot.ts';
import type { Engine } from './engine.ts';

type Call = (...args: never[]) => Promise<unknown>;

const POLLS = [
  ...(['create', 'find', 'findRevisions', 'listPublic', 'cast', 'change', 'remove', 'now'] as const),
  ...(['findVoidRules', 'replaceVoidRules', 'setVoided'] as const),
  ...(['findBallot', 'readSequence', 'findLog', 'findLogParts', 'replaceLog'] as const),
];
const EVENTS = [
  'findState',
  'mark',
  'tell',
  'findDue',
  'read',
  'findNewest',
  'list',
  'markDeleted',
  'wasDeleted',
] as const;
const RECORDS = ['find', 'findMany', 'putIfAbsent', 'put', 'replace', 'spend', 'remove'] as const;

/** As an object, so that a missing outcome fails to compile. */
const OUTCOMES: Record<BallotOutcome | 'unanswered', { value: number }> = {
  accepted: ballots.of({ outcome: 'accepted' }),
  repeated: ballots.of({ outcome: 'repeated' }),
  duplicate_voter: ballots.of({ outcome: 'duplicate_voter' }),
  duplicate_address: ballots.of({ outcome: 'duplicate_address' }),
  poll_closed: ballots.of({ outcome: 'poll_closed' }),
  poll_not_open: ballots.of({ outcome: 'poll_not_open' }),
  poll_not_found: ballots.of({ outcome: 'poll_not_found' }),
  sign_in_required: ballots.of({ outcome: 'sign_in_required' }),
  vpn_rejected: ballots.of({ outcome: 'vpn_rejected' }),
  invalid_answers: ballots.of({ outcome: 'invalid_answers' }),
  name_required: ballots.of({ outcome: 'name_required' }),
  proof_used: ballots.of({ outcome: 'proof_used' }),
  unanswered: ballots.of({ outcome: 'unanswered' }),
};

/** Counts and times the calls of an engine. Costs some 0.3 µs a call, so it is used only with metrics on. */
export function measuredEngine(engine: Engine): Engine {
  const { polls, records, comments, hints, archive, events } = engine;
  const timedPolls = timed('polls', polls, POLLS);
  return {
    polls: {
      ...timedPolls,
      cast: ballot => {
        const receipt = timedPolls.cast(ballot);
        receipt.then(({ outcome }) => count(outcome)).catch(() => count('unanswered'));
        return receipt;
      },
      readBallots: (id, order) => polls.readBallots(id, order),
    },
    records: timed('records', records, RECORDS),
    events: timed('events', events, EVENTS),
    comments: timed('comments', comments, ['add', 'list', 'findRevisions', 'remove']),
    hints,
    archive,
    castBallot: ballot => engine.castBallot(ballot),
    checkHealth: () => engine.checkHealth(),
    describe: () => engine.describe(),
    close: () => engine.close(),
  };
}

function count(outcome: keyof typeof OUTCOMES): void {
  OUTCOMES[outcome].value += 1;
}

function timed<Port extends object, Name extends keyof Port & string>(
  portName: string,
  port: Port,
  names: readonly Name[],
): Pick<Port, Name> {
  const calls = names.map(name => {
    const call = (port[name] as Call).bind(port);
    return [name, timedCall(call, `${portName}.${name}`)];
  });
  return Object.fromEntries(calls) as Pick<Port, Name>;
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
