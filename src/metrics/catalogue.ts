import { Counter, Gauge, Histogram, type Metric, type MetricOptions } from './metric.ts';

/**
 * Every metric of ours. They belong to the process: servers of one process are added up, or told apart by `server`.
 *
 * No label names a poll, a show, a key or an address, and nothing here depends on what was voted for: two histories of a hidden
 * poll with as many ballots give the same figures. How many ballots a process has counted is the operator's to know.
 */

/** All of them, in the order in which they are shown. */
export const METRICS: Metric[] = [];

/** From a millisecond to what nobody waits for. */
const LATENCIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The ways out, as labels name them. */
export type WireName = 'websocket' | 'multiplexed' | 'sse';

const framesSent = counter({
  name: 'tallycast_sent_frames',
  help: 'Messages handed to live connections',
  labels: ['wire'],
});
const bytesSent = counter({
  name: 'tallycast_sent_bytes',
  help: 'Bytes of these messages; messages with counts that are hidden from the public are left out, as their length tells of the counts',
  labels: ['wire'],
});
const framesConflated = counter({
  name: 'tallycast_conflated_frames',
  help: 'Results that a connection did not get because it had not taken those before; it gets the newest instead',
  labels: ['wire'],
});
const connectionsOpened = counter({
  name: 'tallycast_opened_connections',
  help: 'Live connections since the start',
  labels: ['wire'],
});

/** What is counted for each frame, at hand for each connection of a wire. */
export const traffic = {
  websocket: trafficOf('websocket'),
  multiplexed: trafficOf('multiplexed'),
  sse: trafficOf('sse'),
} as const;
export type Traffic = ReturnType<typeof trafficOf>;

function trafficOf(wire: WireName) {
  const [frames, bytes] = [framesSent.of({ wire }), bytesSent.of({ wire })];
  const [conflated, opened] = [framesConflated.of({ wire }), connectionsOpened.of({ wire })];
  return { wire, frames, bytes, conflated, opened } as const;
}

export const connections = gauge({
  name: 'tallycast_connections',
  help: 'Live connections now',
  labels: ['wire'],
});
export const blockedConnections = gauge({
  name: 'tallycast_blocked_connections',
  help: 'Slow ones among them: what they were sent has not left this process',
  labels: ['wire'],
});
export const closedConnections = counter({
  name: 'tallycast_closed_connections',
  help: 'Live connections that this process ended, by the reason of the close; who leaves by itself is not among them',
  labels: ['reason'],
});
export const droppedConnections = counter({
  name: 'tallycast_dropped_connections',
  help: 'TCP connections that were closed because the server is nearly full: `idle` ones, new ones of an `address` beyond its share, or new ones because it is `full`',
  labels: ['reason'],
});
export const upgrades = counter({
  name: 'tallycast_upgrades',
  help: 'Requests for a WebSocket: `accepted`, or turned away because the process is `full` or `draining`',
  labels: ['outcome'],
});

export const watchedPolls = gauge({
  name: 'tallycast_watched_polls',
  help: 'Polls that somebody watches',
});
export const subscribers = gauge({
  name: 'tallycast_subscribers',
  help: 'Interests of live connections in a poll: a connection may have many',
});
export const broadcastSeconds = histogram({
  name: 'tallycast_broadcast_duration_seconds',
  help: 'How long it took to hand new results to all subscribers of a poll that want them equally often',
}).of({});
export const ballotToSendSeconds = histogram({
  name: 'tallycast_ballot_to_send_seconds',
  help: 'From a ballot, by the clock of the engine, to the last socket that its results were written to; of ballots within 25 ms the first counts',
}).of({});

export const hints = counter({
  name: 'tallycast_hints',
  help: 'Hints heard: something that is followed here has changed',
}).of({});
export const hintLagSeconds = histogram({
  name: 'tallycast_hint_lag_seconds',
  help: 'From publishing to hearing a hint of our own, tried every 5 s; on Redis only',
}).of({});
export const unheardProbes = counter({
  name: 'tallycast_unheard_hint_probes',
  help: 'Hints of our own that were not heard within 5 s',
}).of({});

export const engineCallSeconds = histogram({
  name: 'tallycast_engine_call_duration_seconds',
  help: 'Calls of the engine by port and method, until it answered or failed',
  labels: ['operation'],
});
export const failedEngineCalls = counter({
  name: 'tallycast_failed_engine_calls',
  help: 'Those that failed',
  labels: ['operation'],
});
export const engineAvailable = gauge({
  name: 'tallycast_engine_available',
  help: '1 while this process has its engine, 0 while it is lost',
});
export const engineLosses = counter({
  name: 'tallycast_engine_losses',
  help: 'How often the engine was lost',
}).of({});
export const ballots = counter({
  name: 'tallycast_ballots',
  help: 'Ballots by outcome, all polls of this process together; `unanswered` may have been counted',
  labels: ['outcome'],
});

export const checks = gauge({
  name: 'tallycast_check_passing',
  help: 'Checks of `/readyz`, made for the scrape: 1 passing, 0 failing or degraded',
  labels: ['server', 'check'],
});
export const refusals = counter({
  name: 'tallycast_refusals',
  help: 'What was refused, by the code of the error: by `rest`, the `live` stream, pages of `voting`, or as a `ballot` of theirs',
  labels: ['surface', 'code'],
});
export const internalErrors = counter({
  name: 'tallycast_internal_errors',
  help: 'Faults of this program that were caught, by the place; each is in the log with its stack, as `internal error` or `a request failed`',
  labels: ['place'],
});
export const httpRequests = counter({
  name: 'tallycast_http_requests',
  help: 'Requests that were answered, by the pattern of the route; a stream when it ends',
  labels: ['server', 'method', 'route', 'status'],
});
export const httpSeconds = histogram({
  name: 'tallycast_http_request_duration_seconds',
  help: 'How long they took, streams left out',
  labels: ['server', 'route'],
});
export const waitingVisits = gauge({
  name: 'tallycast_waiting_visits',
  help: 'Requests that wait in front of the voting front end: `sent` forms, who is `known`, who is `opening` a page',
  labels: ['line'],
});
export const visitsAskedAgain = counter({
  name: 'tallycast_visits_asked_to_come_again',
  help: 'Visitors of the voting front end for whom there was no room, and who come again by themselves',
}).of({});

export const workers = gauge({ name: 'tallycast_workers', help: 'Processes that this scrape tells of' });
export const endedWorkers = counter({
  name: 'tallycast_ended_workers',
  help: 'Workers that ended without being asked to, and were replaced',
});
export const eventLoopLagSeconds = histogram({
  name: 'tallycast_event_loop_lag_seconds',
  help: 'How late a timer came, tried ten times a second: for so long the process did something else',
}).of({});
export const buildInfo = gauge({
  name: 'tallycast_build_info',
  help: 'Always 1',
  labels: ['version', 'role', 'engine'],
});

function counter<Label extends string = never>(options: MetricOptions<Label>): Counter<Label> {
  return declare(new Counter(options));
}

function gauge<Label extends string = never>(options: MetricOptions<Label>): Gauge<Label> {
  return declare(new Gauge(options));
}

function histogram<Label extends string = never>(options: MetricOptions<Label>): Histogram<Label> {
  return declare(new Histogram(options, LATENCIES));
}

function declare<Declared extends Metric>(metric: Declared): Declared {
  METRICS.push(metric);
  return metric;
}

/** The table of README.md beside this file. */
export function metricsTable(): string {
  const rows = METRICS.map(({ name, type, labels, help }) => {
    const shown = type === 'counter' ? `${name}_total` : name;
    return `| \`${shown}\` | ${type} | ${labels.map(label => `\`${label}\``).join(', ')} | ${help} |`;
  });
  return ['| metric | type | labels | what it says |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
