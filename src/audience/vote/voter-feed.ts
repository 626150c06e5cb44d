import type { FastifyInstance } from 'fastify';
import { type Engine, revisionMark } from '../../engine/engine.ts';
import { FollowedValues } from '../../engine/followed-topics.ts';
import { findUnlessDeleted } from '../../engine/not-found.ts';
import type { EventStream } from '../../http/event-stream.ts';
import { POLL_PATH, type PollParams } from '../../pages/guard/known-polls.ts';
import { Rejection } from '../../pages/guard/rejection.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import { areResultsVisible, type PollId } from '../../poll/poll.ts';
import { hiddenMessage, positionOf, resultsText } from '../../protocol/results-body.ts';

/** Shortest time between two updates. */
const PAUSE_MS = 500;
/** So that ballots are not delayed by thousands of streams. */
const STREAMS_PER_TURN = 250;

/** What a voter sees now, in the form of the live stream. */
interface Shown {
  readonly text: string;
  /** Differs whenever the text does, but for its time. */
  readonly mark: string;
  readonly round: number | undefined;
}

type Found = Shown | 'deleted' | undefined;

/** Adds the live results of a poll that shows them to its voters, for browsers that have voted. */
export async function voterFeedRoute(
  server: FastifyInstance,
  { engine, polls, viewers, streams }: PageDependencies,
): Promise<void> {
  const feed = new FollowedValues<Found>({
    hints: engine.hints,
    read: ids => Promise.all(ids.map(id => findShown(engine, id))),
    findMarks: async ids => (await engine.polls.findRevisions(ids)).map(revisionMark),
    isSame: (one, other) => markOf(one) === markOf(other),
    pauseMs: PAUSE_MS,
  });
  const streamsOf = new Map<PollId, PollStreams>();
  server.addHook('preClose', async () => feed.close());

  server.get<PollParams>(`${POLL_PATH}/results`, async (request, reply) => {
    const { poll } = await polls.read(request.params.id);
    const viewer = await viewers.find(request);
    const hasVoted = viewer && (await engine.polls.hasVoted(poll.id, await viewers.keyFor(poll, viewer)));
    if (!hasVoted) throw new Rejection('page_not_found', { status: 403 });
    const stream = streams.open(request, reply, viewer.voter);
    const ofPoll = streamsOf.get(poll.id) ?? new PollStreams(feed, poll.id);
    streamsOf.set(poll.id, ofPoll);
    ofPoll.add(stream, poll.round);
    stream.onClose(() => {
      if (ofPoll.remove(stream)) streamsOf.delete(poll.id);
    });
  });
}

async function findShown(engine: Engine, id: PollId): Promise<Found> {
  const reading = await findUnlessDeleted(engine, id);
  if (!reading || reading === 'deleted') return reading;
  const { round } = reading.poll;
  if (areResultsVisible(reading.results, true))
    return { text: resultsText(reading), mark: positionOf(reading), round };
  const text = JSON.stringify(hiddenMessage(reading));
  return { text, mark: text, round };
}

function markOf(found: Found): string | undefined {
  return typeof found === 'object' ? found.mark : found;
}

/** The streams of one poll. A round that takes longer than the pause is followed by one with the newest results. */
class PollStreams {
  readonly #streams = new Map<EventStream, number | undefined>();
  readonly #unfollow: () => void;
  #newest: Found;
  #isSending = false;

  constructor(feed: FollowedValues<Found>, id: PollId) {
    this.#unfollow = feed.follow(id, found => this.#receive(found));
  }

  /** @param round in which the viewer has voted */
  add(stream: EventStream, round: number | undefined): void {
    this.#streams.set(stream, round);
    this.#sendTo(stream, this.#newest);
  }

  /** @returns whether it was the last one */
  remove(stream: EventStream): boolean {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return false;
    this.#unfollow();
    return true;
  }

  #receive(found: Found): void {
    // Pages keep what they have: a lost poll may come back.
    if (!found) return;
    this.#newest = found;
    if (!this.#isSending) this.#send([...this.#streams.keys()], found);
  }

  #send(streams: readonly EventStream[], found: Found): void {
    for (const stream of streams.slice(0, STREAMS_PER_TURN))
      if (this.#streams.has(stream)) this.#sendTo(stream, found);
    this.#isSending = streams.length > STREAMS_PER_TURN;
    if (this.#isSending) setImmediate(() => this.#send(streams.slice(STREAMS_PER_TURN), found));
    else if (found !== this.#newest) this.#send([...this.#streams.keys()], this.#newest);
  }

  /** The page of a deleted poll finds out by asking again. In another round its viewer has not voted. */
  #sendTo(stream: EventStream, found: Found): void {
    if (!found) return;
    if (found === 'deleted' || found.round !== this.#streams.get(stream)) stream.close();
    else stream.send(found.text);
  }
}
