import { Counter, Gauge, Histogram, type Metric, type MetricName } from './metric.ts';

/**
 * All metrics. No label contains a poll, a show, a key or an address, and no figure depends on the
 * answers of a ballot.
 */

export const METRICS: Metric[] = [];

/** Upper bounds of buckets in seconds. */
const LATENCIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Values of the label `wire`. */
export type WireName = 'websocket' | 'multiplexed' | 'sse';

const framesSent = counter('tallycast_sent_frames', 'Messages sent to live connections', 'wire');
const bytesSent = counter(
  'tallycast_sent_bytes',
  'Bytes of these messages, without messages that contain hidden counts, because their length would reveal them',
  'wire',
);
const framesConflated = counter(
  'tallycast_conflated_frames',
  'Results skipped for slow connections, which get the newest ones instead',
  'wire',
);
const connectionsOpened = counter(
  'tallycast_opened_connections',
  'Live connections opened since the start',
  'wire',
);

/** The counts for each frame, looked up once for each connection. */
export const traffic = {
  websocket: trafficOf('websocket'),
  multiplexed: trafficOf('multiplexed'),
  sse: trafficOf('sse'),
} as const;
export type Traffic = ReturnType<typeof trafficOf>;

function trafficOf(wire: WireName) {
  const frames = framesSent.of({ wire });
  const bytes = bytesSent.of({ wire });
  const conflated = framesConflated.of({ wire });
  const opened = connectionsOpened.of({ wire });
  return { wire, frames, bytes, conflated, opened } as const;
}

export const connections = gauge('tallycast_connections', 'Open live connections', 'wire');
export const blockedConnections = gauge(
  'tallycast_blocked_connections',
  'Open live connections with unsent data in this process',
  'wire',
);
export const closedConnections = counter(
  'tallycast_closed_connections',
  'Live connections closed by this process, by reason; not those closed by the client',
  'reason',
);
export const droppedConnections = counter(
  'tallycast_dropped_connections',
  'TCP connections closed because the server is nearly full: `idle` ones, new ones beyond the share of an `address`, or new ones because it is `full`',
  'reason',
);
export const upgrades = counter(
  'tallycast_upgrades',
  'WebSocket upgrades: `accepted`, or rejected because the process is `full` or `draining`',
  'outcome',
);

export const watchedPolls = gauge('tallycast_watched_polls', 'Polls with at least one subscription');
export const subscribers = gauge(
  'tallycast_subscribers',
  'Subscriptions of live connections to polls; a connection may have many',
);
export const broadcastSeconds = histogram(
  'tallycast_broadcast_duration_seconds',
  'Time to send new results to all subscribers of a poll with the same `hz`',
).of({});
export const ballotToSendSeconds = histogram(
  'tallycast_ballot_to_send_seconds',
  'Time from a ballot, by the clock of the engine, until its results were written to the last socket; the first of several ballots within 25 ms',
).of({});

export const hints = counter('tallycast_hints', 'Hints received: followed data has changed').of({});
export const hintLagSeconds = histogram(
  'tallycast_hint_lag_seconds',
  'Time from publishing a probe until this process receives it, every 5 s; Redis only',
).of({});
export const unheardProbes = counter('tallycast_unheard_hint_probes', 'Probes not received within 5 s').of(
  {},
);

export const engineCallSeconds = histogram(
  'tallycast_engine_call_duration_seconds',
  'Duration of engine calls by port and method, including failed ones',
  'operation',
);
export const failedEngineCalls = counter('tallycast_failed_engine_calls', 'Failed engine calls', 'operation');
export const engineAvailable = gauge(
  'tallycast_engine_available',
  '1 while the engine is available to this process, else 0',
);
export const engineLosses = counter('tallycast_engine_losses', 'Times that the engine became unavailable').of(
  {},
);
export const ballots = counter(
  'tallycast_ballots',
  'Ballots of all polls by outcome; `unanswered` ones may have been counted',
  'outcome',
);

export const checks = gauge(
  'tallycast_check_passing',
  'Checks of `/readyz` at the time of the scrape: 1 passing, 0 failing or degraded',
  'server',
  'check',
);
export const refusals = counter(
  'tallycast_refusals',
  'Rejected requests by error code, of `rest`, the `live` stream, pages of `voting`, and each `ballot`',
  'surface',
  'code',
);
export const internalErrors = counter(
  'tallycast_internal_errors',
  'Caught errors of this program by place; each is logged with its stack as `internal error` or `request failed`',
  'place',
);
export const httpRequests = counter(
  'tallycast_http_requests',
  'Answered requests by route pattern; a stream counts when it ends',
  'server',
  'method',
  'route',
  'status',
);
export const httpSeconds = histogram(
  'tallycast_http_request_duration_seconds',
  'Duration of requests, without streams',
  'server',
  'route',
);
export const waitingVisits = gauge(
  'tallycast_waiting_visits',
  'Requests queued before the voting front end: `sent` forms, requests of `known` voters, and requests `opening` a page',
  'line',
);
export const visitsAskedAgain = counter(
  'tallycast_visits_asked_to_come_again',
  'Requests rejected by the full queue of the voting front end; their pages retry by themselves',
).of({});

export const chatMessages = counter(
  'tallycast_chat_messages',
  'Messages in linked chats, votes or not',
  'platform',
);
export const chatVotes = counter(
  'tallycast_chat_votes',
  'Votes in linked chats: `counted`; `repeated`, counted before; `rejected` by the engine, because the poll had closed for example; `dropped` for lack of room; or `failed` after a minute without the engine',
  'platform',
  'outcome',
);
export const chatChannels = gauge('tallycast_chat_channels', 'Linked chats by state', 'platform', 'state');

export const events = counter(
  'tallycast_events',
  'Events of polls and shows that this process added to the log for programs',
).of({});
export const webhookDeliveries = counter(
  'tallycast_webhook_deliveries',
  'Requests to webhooks: `delivered`, `rejected` by a status other than 2xx, or `failed` without a reply; the latter two are repeated',
  'outcome',
);
export const webhooksByState = gauge(
  'tallycast_webhooks',
  'Webhooks of the operator: `active`, `failing` since their last request, or `disabled`; of the one relay that delivers, 0 of the others',
  'state',
);
export const oldestEventAge = gauge(
  'tallycast_oldest_undelivered_event_seconds',
  'Age of the oldest event that a webhook of the operator waits for, without disabled ones; of the one relay that delivers, 0 of the others',
);

export const workers = gauge('tallycast_workers', 'Processes in this scrape');
export const endedWorkers = counter(
  'tallycast_ended_workers',
  'Workers that ended unexpectedly and were replaced',
);
export const eventLoopLagSeconds = histogram(
  'tallycast_event_loop_lag_seconds',
  'Delay of a timer that runs ten times a second',
).of({});
export const buildInfo = gauge('tallycast_build_info', 'Always 1', 'version', 'role', 'engine');

function counter<Label extends string = never>(name: MetricName, help: string, ...labels: Label[]) {
  return declare(new Counter(name, help, labels));
}

function gauge<Label extends string = never>(name: MetricName, help: string, ...labels: Label[]) {
  return declare(new Gauge(name, help, labels));
}

function histogram<Label extends string = never>(name: MetricName, help: string, ...labels: Label[]) {
  return declare(new Histogram(name, help, labels, LATENCIES));
}

function declare<Declared extends Metric>(metric: Declared): Declared {
  METRICS.push(metric);
  return metric;
}
