import { checkBallot } from './check-ballot.ts';
import type { Comments, Engine, EventLog, Hints, Polls, Records } from './engine.ts';

export interface PortOverrides {
  readonly polls?: Partial<Polls>;
  readonly hints?: Partial<Hints>;
  readonly records?: Partial<Records>;
  readonly comments?: Partial<Comments>;
  readonly events?: Partial<EventLog>;
  readonly checkHealth?: Engine['checkHealth'];
  readonly close?: Engine['close'];
}

/**
 * The same engine but for some methods of its ports. The other methods are those that it has now:
 * later changes of it are not seen.
 */
export function engineWith(inner: Engine, overrides: PortOverrides): Engine {
  const polls = portWith(inner.polls, overrides.polls);
  return {
    polls,
    hints: portWith(inner.hints, overrides.hints),
    records: portWith(inner.records, overrides.records),
    comments: portWith(inner.comments, overrides.comments),
    events: portWith(inner.events, overrides.events),
    archive: inner.archive,
    castBallot: async ballot => polls.cast(checkBallot(ballot)),
    checkHealth: overrides.checkHealth ?? (() => inner.checkHealth()),
    describe: () => inner.describe(),
    close: overrides.close ?? (() => inner.close()),
  };
}

function portWith<Port extends object>(inner: Port, overrides: Partial<Port> | undefined): Port {
  return overrides === undefined ? inner : { ...boundMethods(inner), ...overrides };
}

/** The methods of a port in an object, bound, so that a call costs no more than one of the port. */
export function boundMethods<Port extends object>(port: Port): Port {
  const methods: Record<string, unknown> = {};
  for (let level: object = port; level !== Object.prototype; level = Object.getPrototypeOf(level))
    for (const name of Object.getOwnPropertyNames(level)) {
      const method: unknown = Reflect.get(port, name);
      if (name !== 'constructor' && typeof method === 'function') methods[name] ??= method.bind(port);
    }
  return methods as Port;
}
