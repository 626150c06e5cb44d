import type { FastifyBaseLogger } from 'fastify';
import { closedConnections, droppedConnections, refusals, upgrades } from '../metrics/catalogue.ts';
import type { Counter } from '../metrics/metric.ts';
import { RelayClosing } from '../protocol/close-event.ts';

const LOOK_EVERY_MS = 1_000;
/** While it goes on, a line so often and no more. */
const SAY_EVERY_MS = 30_000;

const COUNTED = {
  refused: refusals,
  ended: closedConnections,
  turnedAway: upgrades,
  dropped: droppedConnections,
};

/** Those who go elsewhere with the relay are told of where it leaves. */
const EXPECTED = new Set<string>([RelayClosing.reason, 'accepted']);

/**
 * What was refused and who was cut off, in one line a while: how many since the line before, by what they are counted as.
 *
 * @returns ends it, after a last line
 */
export function logRefusals(logger: FastifyBaseLogger): () => void {
  const before = new Map<string, number>();
  let saidAtMs = Number.NEGATIVE_INFINITY;
  const say = () => {
    const news = Object.entries(COUNTED)
      .map(([what, counter]) => [what, newsOf(counter, before)] as const)
      .filter(([, counts]) => Object.keys(counts).length > 0);
    if (news.length === 0) return;
    saidAtMs = performance.now();
    logger.info(Object.fromEntries(news), 'refused or ended since the line before');
  };
  const timer = setInterval(() => {
    if (performance.now() - saidAtMs >= SAY_EVERY_MS) say();
  }, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    say();
  };
}

/** What was counted since it was asked for the last time. */
function newsOf(counter: Counter<string>, before: Map<string, number>): Record<string, number> {
  const news: Record<string, number> = {};
  for (const { labels, value } of counter.samples()) {
    const name = Object.values(labels).join(' ');
    const key = `${counter.name} ${name}`;
    if (value > (before.get(key) ?? 0) && !EXPECTED.has(name)) news[name] = value - (before.get(key) ?? 0);
    before.set(key, value);
  }
  return news;
}
