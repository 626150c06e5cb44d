import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import { FollowedValues } from '../../engine/followed-values.ts';
import type { EventStream } from '../../http/event-stream.ts';

export const SHOWN_COMMENTS = 50;
/** Writers may be quick; readers get the list at most this often. */
const PAUSE_MS = 500;
/** Lists read at once: of the longest comments some 5 MB. */
const BATCH = 50;

/** Tells everybody who has a poll's comments open when one is written or removed. */
export class CommentFeed {
  /** The newest comments of a poll, in JSON. */
  readonly #lists: FollowedValues<string>;

  constructor({ hints, comments }: Engine, log: FastifyBaseLogger) {
    const read = async (pollId: string) => JSON.stringify(await comments.list(pollId, SHOWN_COMMENTS));
    this.#lists = new FollowedValues({
      hints,
      topicOf: pollId => `comments:${pollId}`,
      read: pollIds => Promise.all(pollIds.map(read)),
      findMarks: pollIds => comments.findRevisions(pollIds),
      isSame: Object.is,
      batch: BATCH,
      pauseMs: PAUSE_MS,
      onError: error => log.warn({ err: error }, 'comments unavailable'),
    });
  }

  /** The list now, and anew after each change, for as long as the stream is open. */
  add(pollId: string, stream: EventStream): void {
    stream.onClose(this.#lists.follow(pollId, list => stream.send(list)));
  }

  close(): void {
    this.#lists.close();
  }
}
