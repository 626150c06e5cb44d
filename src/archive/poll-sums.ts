import type { ArchivedEntry, ArchivedPoll } from '../engine/archive.ts';
import { ArchiveFault } from './archive-line.ts';

/** Adds up what lies under a poll, and compares it with what the poll says of itself. */
export class PollSums {
  readonly #poll: ArchivedPoll;
  readonly #places: ReadonlyMap<string, number>;
  readonly #votes: number[];
  readonly #used = { voters: 0, addresses: 0, proofs: 0 };
  #ballots = 0;
  #version = 0;

  constructor(poll: ArchivedPoll) {
    this.#poll = poll;
    this.#places = new Map(poll.poll.answers.map(({ id }, index) => [id, index]));
    this.#votes = poll.poll.answers.map(() => 0);
  }

  /** @throws ArchiveFault */
  add(entry: ArchivedEntry): void {
    if (entry.type === 'comment') return;
    if (entry.type !== 'ballot') {
      this.#used[entry.type] += entry.digests.length;
      return;
    }
    if (entry.version <= this.#version) throw this.#fault('its ballots are out of order');
    this.#version = entry.version;
    this.#ballots += 1;
    for (const answer of entry.answers) {
      const place = this.#places.get(answer);
      if (place === undefined) throw this.#fault(`a ballot is for an answer that it does not have`);
      this.#votes[place] = (this.#votes[place] ?? 0) + 1;
    }
  }

  /** @throws ArchiveFault */
  check(): void {
    const { votes, voters, version, poll } = this.#poll;
    const { addresses, proofs } = this.#used;
    if (this.#version > version) throw this.#fault('a ballot is newer than the poll');
    if (this.#ballots !== voters)
      throw this.#fault(`it counts ${voters} ballots, and ${this.#ballots} are there`);
    if (votes.length !== this.#votes.length || votes.some((count, index) => count !== this.#votes[index]))
      throw this.#fault('its ballots add up to other votes');
    if (this.#used.voters !== voters)
      throw this.#fault(`${voters} have voted, and ${this.#used.voters} are known`);
    if (addresses !== (poll.settings.sharedAddress ? 0 : voters) || proofs > voters)
      throw this.#fault('its addresses or human checks are not as many as its ballots');
  }

  #fault(what: string): ArchiveFault {
    return new ArchiveFault(`The archive is damaged: poll ${this.#poll.poll.id}: ${what}`);
  }
}
