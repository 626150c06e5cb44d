import cluster, { type Worker } from 'node:cluster';
import { endedWorkers, workers } from '../metrics/catalogue.ts';
import { exposition, labelled, type Scrape, scrape } from '../metrics/exposition.ts';

/** One scrape of all workers: each is asked for its own, and is told apart from the others by its place. */

/** Who stands still that long is left out, and missed: a scrape that failed for one of them would tell of none. */
const PATIENCE_MS = 2_000;
const ASK = 'scrape';
const ANSWER = 'scraped';
/** Known by the supervisor alone. */
const SUPERVISED = [workers.name, endedWorkers.name];

interface Answer {
  readonly type: typeof ANSWER;
  readonly number: number;
  readonly metrics: Scrape;
}

let asked = 0;

/** In a worker: answers its supervisor. */
export function answerScrapes(): void {
  process.on('message', (message: { type?: unknown; number?: number }) => {
    if (message.type !== ASK) return;
    void scrape().then(all => {
      const metrics = all.filter(({ name }) => !SUPERVISED.includes(name));
      process.send?.({ type: ANSWER, number: message.number, metrics });
    });
  });
}

/** In the supervisor. @param placeOf numbers from 1, so that what comes in the place of a worker goes on under its number */
export async function scrapeWorkers(placeOf: (worker: Worker) => number): Promise<string> {
  const present = Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined);
  const answers = await Promise.all(
    present.map(async worker => {
      const metrics = await ask(worker);
      return metrics && labelled(metrics, placeOf(worker));
    }),
  );
  const told = answers.filter(answer => answer !== undefined);
  const endReading = workers.read(() => [[{}, told.length]]);
  const own = (await scrape()).filter(({ name }) => SUPERVISED.includes(name));
  endReading();
  return exposition([own, ...told]);
}

/** @returns undefined where it does not answer in time */
function ask(worker: Worker): Promise<Scrape | undefined> {
  asked += 1;
  const number = asked;
  return new Promise(done => {
    const end = (metrics?: Scrape) => {
      clearTimeout(timer);
      worker.off('message', hear);
      done(metrics);
    };
    const hear = (message: Partial<Answer>) => {
      if (message.type === ANSWER && message.number === number) end(message.metrics);
    };
    const timer = setTimeout(end, PATIENCE_MS);
    worker.on('message', hear);
    worker.send({ type: ASK, number }, error => error && end());
  });
}
