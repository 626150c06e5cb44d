import type { Comments, Engine, Hints, Polls, Records } from '../../src/engine/engine.ts';

export interface PortOverrides {
  readonly polls?: Partial<Polls>;
  readonly hints?: Partial<Hints>;
  readonly records?: Partial<Records>;
  readonly comments?: Partial<Comments>;
  readonly checkHealth?: Engine['checkHealth'];
  readonly close?: Engine['close'];
}

/** The same engine but for some of its methods. What it wraps stays whole. */
export function engineWith(inner: Engine, overrides: PortOverrides): Engine {
  const polls = port(inner.polls, overrides.polls);
  return {
    polls,
    hints: port(inner.hints, overrides.hints),
    records: port(inner.records, overrides.records),
    comments: port(inner.comments, overrides.comments),
    archive: inner.archive,
    events: inner.events,
    castBallot: ballot => polls.cast(ballot),
    checkHealth: overrides.checkHealth ?? (() => inner.checkHealth()),
    describe: () => inner.describe(),
    close: overrides.close ?? (() => inner.close()),
  };
}

function port<Port extends object>(inner: Port, overrides: Partial<Port> = {}): Port {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(overrides, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
