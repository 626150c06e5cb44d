import { ballots, engineCallSeconds, failedEngineCalls } from '../metrics/catalogue.ts';
import type { BallotOutcome } from '../poll/ballot.ts';
import type { Comments } from './comments.ts';
import type { Engine } from './engine.ts';
import type { Polls } from './polls.ts';
import type { Records } from './records.ts';

type Call = (...args: never[]) => Promise<unknown>;
type CallsOf<Port> = { [Name in keyof Port]: Port[Name] extends Call ? Name : never }[keyof Port] & string;

const POLLS = {
  create: 0,
  find: 0,
  findRevisions: 0,
  listPublic: 0,
  cast: 0,
  change: 0,
  remove: 0,
  now: 0,
} satisfies Record<CallsOf<Polls>, 0>;
const RECORDS = {
  find: 0,
  findMany: 0,
  putIfAbsent: 0,
  put: 0,
  replace: 0,
  spend: 0,
  remove: 0,
} satisfies Record<CallsOf<Records>, 0>;
const COMMENTS = { add: 0, list: 0, findRevisions: 0, remove: 0 } satisfies Record<CallsOf<Comments>, 0>;

const OUTCOMES = {
  accepted: counted('accepted'),
  repeated: counted('repeated'),
  duplicate_voter: counted('duplicate_voter'),
  duplicate_address: counted('duplicate_address'),
  poll_closed: counted('poll_closed'),
  poll_not_open: counted('poll_not_open'),
  poll_not_found: counted('poll_not_found'),
  invalid_answers: counted('invalid_answers'),
  name_required: counted('name_required'),
  proof_used: counted('proof_used'),
} satisfies Record<BallotOutcome, unknown>;
const UNANSWERED = counted('unanswered');

function counted(outcome: BallotOutcome | 'unanswered') {
  return ballots.of({ outcome });
}

/** The same engine, whose calls are counted and timed. Some 0.3 µs a call, so it is put in between only where somebody may look. */
export function measuredEngine(engine: Engine): Engine {
  const polls = measured(engine.polls, 'polls', POLLS);
  return {
    polls: { ...polls, cast: countOutcomes(polls.cast), readBallots: id => engine.polls.readBallots(id) },
    records: measured(engine.records, 'records', RECORDS),
    comments: measured(engine.comments, 'comments', COMMENTS),
    hints: engine.hints,
    archive: engine.archive,
    castBallot: ballot => engine.castBallot(ballot),
    checkHealth: () => engine.checkHealth(),
    describe: () => engine.describe(),
    close: () => engine.close(),
  };
}

function measured<Port extends object, Name extends CallsOf<Port>>(
  port: Port,
  portName: string,
  names: Readonly<Record<Name, 0>>,
): Pick<Port, Name> {
  const calls = (Object.keys(names) as Name[]).map(name => {
    const call = (port[name] as Call).bind(port);
    return [name, timed(call, `${portName}.${name}`)];
  });
  return Object.fromEntries(calls) as Pick<Port, Name>;
}

function timed(call: Call, operation: string): Call {
  const seconds = engineCallSeconds.of({ operation });
  const failed = failedEngineCalls.of({ operation });
  return (...args) => {
    const beganMs = performance.now();
    const reply = call(...args);
    reply.then(
      () => seconds.observe(performance.now() - beganMs),
      () => {
        seconds.observe(performance.now() - beganMs);
        failed.value += 1;
      },
    );
    return reply;
  };
}

function countOutcomes(cast: Polls['cast']): Polls['cast'] {
  return ballot => {
    const receipt = cast(ballot);
    receipt.then(
      ({ outcome }) => {
        OUTCOMES[outcome].value += 1;
      },
      () => {
        UNANSWERED.value += 1;
      },
    );
    return receipt;
  };
}
