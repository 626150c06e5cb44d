import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Ballot,
  type BallotOutcome,
  type BallotReceipt,
  type BallotRecord,
  type FoundBallot,
  foundBallot,
  type LoggedBallots,
  loggedBallot,
  MAX_CHANGES,
  type StoredBallot,
  storedBallot,
} from '../../poll/ballot.ts';
import {
  choicesOf,
  closedAtMs,
  DAY_MS,
  editedAtMs,
  fromStoredPoll,
  idOfRound,
  imageFiles,
  type NewPoll,
  type NextRound,
  type Poll,
  type PollId,
  pollOfRound,
  type Reading,
  type Results,
  type SeenState,
  toStoredPoll,
} from '../../poll/poll.ts';
import {
  type Correction,
  endAfter,
  imagesLost,
  markOfState,
  type PollChange,
  revealedAfter,
} from '../../poll/poll-change.ts';
import { digestOf } from '../check-ballot.ts';
import { definitionCache } from '../definition-cache.ts';
import type { LogPart, Polls, Revision, StoredLog } from '../engine.ts';
import { within } from '../within.ts';
import { markEvent } from './embedded-event-log.ts';
import type { EmbeddedHints } from './embedded-hints.ts';
import type { EmbeddedRetention } from './embedded-retention.ts';
import { type EmbeddedStore, keysOfPoll, placeOf, type Tally } from './embedded-tables.ts';
import {
  countSource,
  emptyKeeping,
  expiryOf,
  isSettled,
  isVoted,
  type OpenTallies,
  settle,
  statusOf,
} from './tally.ts';

const DEFAULT_RETENTION_MS = 365 * DAY_MS;
/** How long a new poll waits for the removal of an old one with its id. */
const REMOVAL_PATIENCE_MS = 500;
/** Ballots read at once. */
const BATCH = 500;

interface Definition {
  readonly poll: Poll;
  readonly adminKeyHash: string;
}

export class EmbeddedPolls implements Polls {
  readonly #store: EmbeddedStore;
  readonly #openTallies: OpenTallies;
  readonly #hints: EmbeddedHints;
  readonly #retention: EmbeddedRetention;
  readonly #retentionMs: number | undefined;
  readonly #definitions = definitionCache<Definition>();

  /** @param retentionDays see `EngineOptions` */
  constructor(
    store: EmbeddedStore,
    openTallies: OpenTallies,
    hints: EmbeddedHints,
    retention: EmbeddedRetention,
    retentionDays: number | undefined,
  ) {
    this.#store = store;
    this.#openTallies = openTallies;
    this.#hints = hints;
    this.#retention = retention;
    this.#retentionMs = retentionDays === undefined ? undefined : retentionDays * DAY_MS;
  }

  async create(created: NewPoll): Promise<boolean> {
    const { poll, keys, images = [] } = created;
    const { polls, tallies, publicPolls, write } = this.#store;
    if (this.#retention.isRemoving(poll.id)) await within(REMOVAL_PATIENCE_MS, this.#retention.sweep());
    return write(() => {
      // The old poll's voters would count as voters of the new one.
      if (this.#retention.isRemoving(poll.id))
        throw new Error('The poll that had this id is still being removed');
      if (polls.doesExist(poll.id)) return false;
      const retentionMs = this.#retentionMs ?? DEFAULT_RETENTION_MS;
      const tally = { ...freshTally(created, keys.viewKeyHash), retentionMs, ...emptyKeeping(poll) };
      tally.expiresAtMs = expiryOf(tally, Date.now());
      polls.putSync(poll.id, { poll: toStoredPoll(poll), adminKeyHash: keys.adminKeyHash });
      tallies.putSync(poll.id, tally);
      for (const { file, data } of images) this.#store.images.putSync([poll.id, file], data);
      if (!poll.settings.isPrivate) publicPolls.putSync([poll.createdAtMs, poll.id], true);
      markEvent(this.#store, poll.id);
      return true;
    });
  }

  async find(id: PollId): Promise<Reading | undefined> {
    const { root, tallies } = this.#store;
    // LMDB shares a snapshot among reads, and this one must contain every ballot acknowledged before.
    root.resetReadTxn();
    const tally = tallies.get(id);
    const nowMs = Date.now();
    if (!tally || isSettled(tally, nowMs)) return this.#reading(id, tally, nowMs);
    try {
      await this.#update(id, () => false);
      return this.#reading(id, tallies.get(id), nowMs);
    } catch {
      // A full disk cannot store the passed deadline: this is the result it will have.
      settle(tally, nowMs);
      return this.#reading(id, tally, nowMs);
    }
  }

  async findRevisions(ids: readonly PollId[]): Promise<(Revision | undefined)[]> {
    const readAtMs = Date.now();
    return ids.map(id => {
      const tally = this.#store.tallies.get(id);
      if (!tally) return undefined;
      settle(tally, readAtMs);
      return resultsOf(tally, readAtMs);
    });
  }

  async listPublic(limit: number): Promise<PollId[]> {
    return [...this.#store.publicPolls.getKeys({ reverse: true, limit })].map(([, id]) => id);
  }

  cast(ballot: Ballot): Promise<BallotReceipt> {
    return this.#store.write(
      () => this.#castInTransaction(ballot, Date.now()),
      receipt => receipt.outcome === 'accepted' && this.#hints.sendForBallot(ballot.pollId),
      'ballot',
    );
  }

  /** Checks everything before the first write, so a rejected ballot leaves no trace. */
  #castInTransaction(ballot: Ballot, nowMs: number): BallotReceipt {
    const { ballots, ballotVersions, voters, addresses, proofs } = this.#store;
    const id = ballot.pollId;
    const tally = this.#openTallies.get(id);
    const poll = tally && this.#definition(id, tally)?.poll;
    if (!poll) return rejected('poll_not_found');

    const place = placeOf(id, tally);
    const earlier = ballotVersions.get([place, ballot.ballotId]);
    if (earlier !== undefined) return { outcome: 'repeated', version: earlier };
    if ((ballot.round ?? 1) !== (tally.round ?? 1)) return rejected('round_over');
    const status = statusOf(tally, nowMs);
    if (status !== 'open') return rejected(status === 'closed' ? 'poll_closed' : 'poll_not_open');
    const { requireSignIn, allowVpn, requireName, sharedAddress, isVerifiable, allowChange } = poll.settings;
    if (requireSignIn && !ballot.signedIn) return rejected('sign_in_required');
    if (ballot.behindVpn && !allowVpn) return rejected('vpn_rejected');
    const isWithdrawal = ballot.change !== undefined && ballot.answers.length === 0;
    const chosen = isWithdrawal ? [] : chosenIndexes(poll, ballot);
    if (!chosen) return rejected('invalid_answers');
    if (ballot.change) return this.#changeInTransaction(ballot, tally, poll, nowMs);
    const name = ballot.name?.trim() ?? '';
    if (requireName && name === '') return rejected('name_required');
    const keyOf = (usedId: string) => usedKey(id, tally, usedId);
    const voter = keyOf(ballot.voter);
    const address = keyOf(ballot.address);
    const proof = ballot.proof && keyOf(ballot.proof.id);
    if (voters.doesExist(voter)) return rejected('duplicate_voter');
    if (!sharedAddress && addresses.doesExist(address)) return rejected('duplicate_address');
    if (proof && proofs.doesExist(proof)) return rejected('proof_used');

    const version = tally.version + 1;
    const sequence = isVerifiable ? (tally.sequence ?? 0) + 1 : undefined;
    ballots.putSync([place, version], {
      ballotId: ballot.ballotId,
      answers: ballot.answers,
      name: requireName ? name : null,
      castAtMs: nowMs,
      ...(ballot.source ? { source: ballot.source } : ballot.network && { network: ballot.network }),
      ...(sequence !== undefined && { sequence }),
    });
    voters.putSync(voter, allowChange ? { version, changes: 0, changedAtMs: 0 } : true);
    if (!sharedAddress) addresses.putSync(address, true);
    if (proof) proofs.putSync(proof, ballot.proof?.expiresAtMs ?? 0);

    for (const index of chosen) tally.votes[index] = (tally.votes[index] ?? 0) + 1;
    tally.voters += 1;
    countSource(tally, ballot.source, 1);
    return this.#accept(ballot, tally, { version, sequence }, nowMs);
  }

  /** Ends what counts a ballot, or a change of one. */
  #accept(
    { pollId, ballotId }: Ballot,
    tally: Tally,
    { version, sequence }: { readonly version: number; readonly sequence: number | undefined },
    nowMs: number,
  ): BallotReceipt {
    this.#store.ballotVersions.putSync([placeOf(pollId, tally), ballotId], version);
    tally.version = version;
    if (sequence !== undefined) tally.sequence = sequence;
    if (this.#retentionMs !== undefined) tally.retentionMs ??= this.#retentionMs;
    tally.expiresAtMs = expiryOf(tally, nowMs);
    this.#openTallies.put(pollId, tally);
    return { outcome: 'accepted', version };
  }

  async hasVoted(id: PollId, voter: string): Promise<boolean> {
    const { root, tallies, voters } = this.#store;
    root.resetReadTxn();
    const tally = tallies.get(id);
    return tally !== undefined && voters.doesExist(usedKey(id, tally, voter));
  }

  #changeInTransaction(ballot: Ballot, tally: Tally, poll: Poll, nowMs: number): BallotReceipt {
    const { ballots, ballotVersions, voters, proofs } = this.#store;
    const id = poll.id;
    const place = placeOf(id, tally);
    const voter = usedKey(id, tally, ballot.voter);
    const marker = voters.get(voter);
    const { receipt } = ballot.change!;
    const known = typeof marker === 'object' ? marker : undefined;
    const unknown = marker && receipt !== undefined ? ballotVersions.get([place, receipt]) : undefined;
    const firstVersion = known?.version ?? unknown;
    const first = firstVersion === undefined ? undefined : ballots.get([place, firstVersion]);
    if (firstVersion === undefined || !first || first.replaces !== undefined)
      return rejected('change_not_allowed');
    const lastAtMs = known?.changedAtMs || first.castAtMs;
    // A chat's moderators delete votes of any poll, and the user of a deleted vote may vote again.
    const isEmpty = ballot.answers.length === 0 || first.answers.length === 0;
    const isModerated = first.source !== undefined && isEmpty;
    // A ballot of the same millisecond may have come before the correction.
    if (!poll.settings.allowChange && !isModerated && lastAtMs > (editedAtMs(poll) ?? 0))
      return rejected('change_not_allowed');
    const changes = known?.changes ?? 0;
    if (changes >= MAX_CHANGES) return rejected('too_many_changes');
    const proof = ballot.proof && usedKey(id, tally, ballot.proof.id);
    if (proof && proofs.doesExist(proof)) return rejected('proof_used');

    const version = tally.version + 1;
    const sequence = poll.settings.isVerifiable ? (tally.sequence ?? 0) + 1 : undefined;
    const logged = sequence && { answers: first.logged?.answers ?? first.answers, last: sequence };
    ballots.putSync([place, firstVersion], { ...first, answers: ballot.answers, ...(logged && { logged }) });
    ballots.putSync([place, version], {
      ballotId: ballot.ballotId,
      answers: sequence === undefined ? [] : ballot.answers,
      name: null,
      castAtMs: nowMs,
      ...(sequence !== undefined && { sequence }),
      replaces: sequence === undefined ? 0 : first.sequence!,
    });
    voters.putSync(voter, { version: firstVersion, changes: changes + 1, changedAtMs: nowMs });
    if (proof) proofs.putSync(proof, ballot.proof?.expiresAtMs ?? 0);

    moveAnswers(poll, tally, first, -1);
    moveAnswers(poll, tally, { ...first, answers: ballot.answers }, 1);
    return this.#accept(ballot, tally, { version, sequence }, nowMs);
  }

  async *readBallots(id: PollId): AsyncIterable<readonly StoredBallot[]> {
    const { root, tallies, ballots } = this.#store;
    root.resetReadTxn();
    const first = tallies.get(id);
    if (!first) return;
    const place = placeOf(id, first);
    const range = keysOfPoll(place);
    let start: [id: PollId, version: number] = range.start;
    for (;;) {
      root.resetReadTxn();
      const tally = tallies.get(id);
      // A removed poll still has ballots for a while, and another round has others.
      if (!tally || placeOf(id, tally) !== place) return;
      const batch = [...ballots.getRange({ ...range, start, limit: BATCH })];
      if (batch.length > 0) yield batch.flatMap(({ value }) => storedBallot(value) ?? []);
      if (batch.length < BATCH) return;
      start = [place, batch.at(-1)!.key[1] + 1];
      await nextTurn();
    }
  }

  async findVoidRules(id: PollId): Promise<string | undefined> {
    this.#store.root.resetReadTxn();
    const tally = this.#store.tallies.get(id);
    return tally && (tally.voidRules ?? '');
  }

  replaceVoidRules(id: PollId, expected: string, rules: string): Promise<boolean> {
    const replace = () => {
      const { tallies } = this.#store;
      const tally = tallies.get(id);
      if (!tally || (tally.voidRules ?? '') !== expected) return false;
      tallies.putSync(id, { ...tally, voidRules: rules });
      markEvent(this.#store, pollOfRound(id)?.id ?? id);
      return true;
    };
    return this.#store.write(replace, undefined, 'end');
  }

  async setVoided(
    id: PollId,
    ballotIds: readonly string[],
    voided: boolean,
    rules: string,
  ): Promise<boolean> {
    let hasRules = false;
    const move = (tally: Tally) => {
      hasRules = (tally.voidRules ?? '') === rules;
      return hasRules && this.#moveBallots(id, tally, ballotIds, voided);
    };
    await this.#update(id, move, 'end');
    return hasRules;
  }

  #moveBallots(id: PollId, tally: Tally, ballotIds: readonly string[], voided: boolean): boolean {
    const { ballots, ballotVersions } = this.#store;
    const poll = this.#definition(id, tally)?.poll;
    const place = placeOf(id, tally);
    let hasMoved = false;
    for (const ballotId of ballotIds) {
      const version = ballotVersions.get([place, ballotId]);
      const found = version === undefined ? undefined : ballots.get([place, version]);
      if (version === undefined || !found || !poll || found.replaces !== undefined) continue;
      if ((found.voided ?? false) === voided) continue;
      const { voided: _, ...ballot } = found;
      const moved = voided ? { ...ballot, voided } : ballot;
      ballots.putSync([place, version], moved);
      moveAnswers(poll, tally, found, -1);
      moveAnswers(poll, tally, moved, 1);
      hasMoved = true;
    }
    return hasMoved;
  }

  async findImage(id: PollId, file: string): Promise<string | undefined> {
    const { root, tallies, images } = this.#store;
    root.resetReadTxn();
    // A removed poll still has images for a while.
    const tally = tallies.get(id);
    return tally && images.get([placeOf(id, tally), file]);
  }

  async findBallot(id: PollId, ballotId: string): Promise<FoundBallot | undefined> {
    const { ballots, ballotVersions } = this.#store;
    const { place } = this.#findRound(id) ?? {};
    if (!place) return undefined;
    const version = ballotVersions.get([place, ballotId]);
    const entry = version === undefined ? undefined : ballots.get([place, version]);
    if (!entry?.replaces) return entry && foundBallot(entry, entry);
    const [first = entry] = this.#entriesFrom(place, entry.replaces, 1);
    return foundBallot(entry, first);
  }

  async readSequence(id: PollId, first: number, count: number): Promise<LoggedBallots> {
    const found: LoggedBallots = new Array(count).fill(undefined);
    const place = this.#findRound(id)?.place;
    for (const entry of place ? this.#entriesFrom(place, first, count) : []) {
      const ballot = loggedBallot(entry);
      if (ballot && ballot.sequence < first + count) found[ballot.sequence - first] = ballot;
    }
    return found;
  }

  /**
   * Versions grow with each ballot and with changes of the poll. A ballot's version is therefore
   * its sequence at least, and each step skips as many as there were changes.
   */
  #entriesFrom(place: PollId, first: number, count: number): BallotRecord[] {
    const { ballots } = this.#store;
    const { end } = keysOfPoll(place);
    for (let version = first; ; ) {
      const [next] = [...ballots.getRange({ start: [place, version], end, limit: 1 })];
      const sequence = next?.value.sequence;
      if (next === undefined || sequence === undefined) return [];
      if (sequence >= first)
        return [...ballots.getRange({ start: next.key, end, limit: count })].map(({ value }) => value);
      version = next.key[1] + first - sequence;
    }
  }

  async findLog(id: PollId): Promise<StoredLog | undefined> {
    const found = this.#findRound(id);
    if (!found?.isVerifiable) return undefined;
    return { ballots: found.tally.sequence ?? 0, state: this.#store.logs.get([found.place, '']) ?? '' };
  }

  async findLogParts(id: PollId, names: readonly string[]): Promise<(string | undefined)[]> {
    const place = this.#findRound(id)?.place;
    return names.map(name => place && this.#store.logs.get([place, name]));
  }

  replaceLog(id: PollId, expected: string, state: string, part?: LogPart): Promise<boolean> {
    const { logs, write } = this.#store;
    return write(() => {
      const { place, isVerifiable } = this.#findRound(id) ?? {};
      if (!place || !isVerifiable || (logs.get([place, '']) ?? '') !== expected) return false;
      if (part) logs.putSync([place, part.name], part.text);
      logs.putSync([place, ''], state);
      return true;
    });
  }

  /** @param id of a poll, for its present round, or by `idOfRound` */
  #findRound(
    id: PollId,
  ): { readonly tally: Tally; readonly place: PollId; readonly isVerifiable: boolean } | undefined {
    const { root, tallies } = this.#store;
    root.resetReadTxn();
    const { id: poll, round } = pollOfRound(id) ?? { id, round: undefined };
    const present = tallies.get(poll);
    const isPresent = round === undefined || round === (present?.round ?? 1);
    const tally = isPresent ? present : tallies.get(id);
    if (!tally) return undefined;
    const { isVerifiable = false } = this.#definition(isPresent ? poll : id, tally)?.poll.settings ?? {};
    return { tally, place: placeOf(poll, tally), isVerifiable };
  }

  async change(id: PollId, change: PollChange): Promise<boolean> {
    let isApplied = false;
    const apply = (tally: Tally) => {
      const nowMs = Date.now();
      const { resultsVisibility = tally.resultsVisibility, expected, correction } = change;
      const now = { ...tally, status: statusOf(tally, nowMs) };
      const isUpcoming = change.upcoming === true && !isVoted(tally);
      const closed = change.upcoming ? !isUpcoming : change.closed;
      const turned = closed === undefined ? {} : { closedByHand: closed, upcoming: isUpcoming };
      const end = endAfter(tally, change, nowMs);
      const status = statusOf({ ...tally, ...end, ...turned }, nowMs);
      const revealedFrom = revealedAfter({ ...tally, status, resultsVisibility }, change);
      isApplied =
        (!expected || markOfState(expected) === markOfState(now)) &&
        revealedFrom !== 'rejected' &&
        (!correction || this.#correct(id, tally, correction));
      if (!isApplied || revealedFrom === 'rejected') return false;
      if (closed && !tally.closedByHand) tally.closedAtMs = nowMs;
      Object.assign(tally, turned, { resultsVisibility, revealedFrom });
      tally.deadlineMs = end.deadlineMs;
      tally.closesInMs = end.closesInMs;
      // A deadline in the past is settled by this change.
      if (!isSettled(tally, nowMs)) tally.settledDeadlineMs = tally.deadlineMs;
      if (change.viewKeyHash !== undefined) tally.viewKeyHash = change.viewKeyHash;
      if (change.adminKeyHash !== undefined) tally.adminKeyHash = change.adminKeyHash;
      if (this.#retentionMs !== undefined) tally.retentionMs = this.#retentionMs;
      tally.expiresAtMs = expiryOf(tally, nowMs);
      markEvent(this.#store, id);
      return true;
    };
    await this.#update(id, apply, change.correction?.image ? undefined : 'end');
    return isApplied;
  }

  /** @returns false if the poll is not as the correction expects */
  #correct(id: PollId, tally: Tally, correction: Correction): boolean {
    const { before, after, isUnvoted, image } = correction;
    if (tally.edition !== before.edition || (isUnvoted && isVoted(tally))) return false;
    const { polls, publicPolls, images } = this.#store;
    const place = placeOf(id, tally);
    const { isPrivate } = after.settings;
    if (isPrivate) publicPolls.removeSync([after.createdAtMs, id]);
    else if (before.settings.isPrivate) publicPolls.putSync([after.createdAtMs, id], true);
    if (image) images.putSync([place, image.file], image.data);
    for (const file of imagesLost(correction)) images.removeSync([place, file]);
    polls.putSync(id, { ...polls.get(id)!, poll: toStoredPoll(after) });
    tally.edition = after.edition;
    if (isUnvoted) tally.votes = after.answers.map(() => 0);
    return true;
  }

  async again(id: PollId, next: NextRound): Promise<boolean> {
    const { polls, tallies, images, write } = this.#store;
    const round = next.before.round ?? 1;
    return write(
      () => {
        const tally = tallies.get(id);
        const stored = polls.get(id);
        const nowMs = Date.now();
        if (!tally || !stored || pollOfRound(id)) return false;
        const state = { ...tally, status: statusOf(tally, nowMs) };
        if ((tally.round ?? 1) !== round || markOfState(state) !== markOfState(next.before)) return false;
        if (this.#retention.isRemoving(idOfRound(id, round + 1)))
          throw new Error('The poll that had this id is still being removed');
        settle(tally, nowMs);
        const ended = {
          ...tally,
          version: tally.version + 1,
          upcoming: false,
          createdAtMs: undefined,
          expiresAtMs: null,
          ...(state.status !== 'closed' && { closedByHand: true, closedAtMs: nowMs }),
        };
        tallies.putSync(idOfRound(id, round), ended);
        polls.putSync(idOfRound(id, round), stored);

        const poll = { ...next.poll, round: round + 1, roundFrom: ended.version };
        const fresh: Tally = {
          ...freshTally({ ...next, poll }, tally.viewKeyHash),
          version: ended.version,
          adminKeyHash: tally.adminKeyHash,
          retentionMs: tally.retentionMs,
          expiresAtMs: tally.expiresAtMs,
          // A poll with votes in an earlier round is not without a ballot.
          ...(!isVoted(tally) && tally.createdAtMs !== undefined && emptyKeeping(stored.poll)),
        };
        fresh.expiresAtMs = expiryOf(fresh, nowMs);
        for (const file of imageFiles(poll)) {
          const data = images.get([placeOf(id, tally), file]);
          if (data) images.putSync([placeOf(id, fresh), file], data);
        }
        polls.putSync(id, { ...stored, poll: toStoredPoll(poll) });
        tallies.putSync(id, fresh);
        markEvent(this.#store, id);
        return true;
      },
      begun => begun && this.#hints.send(id),
    );
  }

  takeBackRound(id: PollId, { round = 1, status }: SeenState): Promise<boolean> {
    const { polls, tallies, images } = this.#store;
    const drop = () => {
      const earlier = idOfRound(id, round);
      const [tally, ended, stored] = [tallies.get(id), tallies.get(earlier), polls.get(earlier)];
      if (!tally || !ended || !stored || tally.round !== round + 1 || isVoted(tally)) return false;
      const { viewKeyHash, adminKeyHash, retentionMs, expiresAtMs } = tally;
      const upcoming = status === 'upcoming';
      const restored: Tally = {
        ...ended,
        ...{ viewKeyHash, adminKeyHash, retentionMs, expiresAtMs },
        version: tally.version + 1,
        ...(status !== 'closed' && { closedByHand: false, closedAtMs: undefined, upcoming }),
        ...(tally.createdAtMs !== undefined && emptyKeeping(stored.poll)),
      };
      restored.expiresAtMs = expiryOf(restored, Date.now());
      for (const file of images.getKeys(keysOfPoll(placeOf(id, tally)))) images.removeSync(file);
      polls.putSync(id, stored);
      tallies.putSync(id, restored);
      polls.removeSync(earlier);
      tallies.removeSync(earlier);
      markEvent(this.#store, id);
      return true;
    };
    return this.#store.write(drop, dropped => dropped && this.#hints.send(id));
  }

  async remove(id: PollId): Promise<boolean> {
    const existed = await this.#store.write(
      () => this.#retention.beginRemoval(id),
      begun => begun && this.#hints.send(id),
      'end',
    );
    this.#definitions.delete(id);
    if (existed) this.#retention.sweepSoon();
    return existed;
  }

  async now(): Promise<number> {
    return Date.now();
  }

  #reading(id: PollId, tally: Tally | undefined, readAtMs: number): Reading | undefined {
    const definition = tally && this.#definition(id, tally);
    if (!definition) return undefined;
    const { adminKeyHash = definition.adminKeyHash, viewKeyHash, deadlineMs } = tally;
    const byHandMs = tally.closedByHand ? (tally.closedAtMs ?? readAtMs) : null;
    return {
      poll: definition.poll,
      keys: { adminKeyHash, viewKeyHash },
      hintedAtMs: this.#hints.hintedAtMs(id),
      closedAtMs: closedAtMs(byHandMs, deadlineMs, readAtMs),
      results: resultsOf(tally, readAtMs),
    };
  }

  #definition(id: PollId, { edition }: Tally): Definition | undefined {
    const known = this.#definitions.get(id);
    if (known && known.poll.edition === edition) return known;
    const stored = this.#store.polls.get(id);
    if (!stored) return undefined;
    const definition = { ...stored, poll: fromStoredPoll(stored.poll) };
    this.#definitions.set(id, definition);
    return definition;
  }

  async #update(id: PollId, apply: (tally: Tally) => boolean, kind?: 'end'): Promise<boolean> {
    const { tallies, write } = this.#store;
    const outcome = await write(
      () => {
        const tally = tallies.get(id);
        if (!tally) return 'unknown';
        // First, and with a version of its own, which readers may have seen.
        const settled = settle(tally, Date.now());
        const changed = apply(tally);
        if (!settled && !changed) return 'unchanged';
        if (changed) tally.version += 1;
        tallies.putSync(id, tally);
        return 'changed';
      },
      result => result === 'changed' && this.#hints.send(id),
      kind,
    );
    return outcome !== 'unknown';
  }
}

/** The tally of a poll or a round before its first ballot. */
function freshTally(begun: Omit<NewPoll, 'keys' | 'images'>, viewKeyHash: string): Tally {
  const { poll, deadlineMs, closesInMs, resultsVisibility, upcoming = false } = begun;
  const { answers, edition, round } = poll;
  const counts = { version: 1, votes: answers.map(() => 0), voters: 0 };
  const times = { deadlineMs, closesInMs, settledDeadlineMs: null, expiresAtMs: null };
  return {
    ...counts,
    ...times,
    edition,
    round,
    upcoming,
    closedByHand: false,
    resultsVisibility,
    viewKeyHash,
  };
}

function chosenIndexes(poll: Poll, { answers }: Ballot): number[] | undefined {
  const [least, most] = choicesOf(poll);
  if (answers.length < least || answers.length > most) return undefined;
  const indexes = answers.map(answerId => poll.answers.findIndex(answer => answer.id === answerId));
  const distinct = new Set(indexes);
  return distinct.has(-1) || distinct.size < answers.length ? undefined : indexes;
}

function usedKey(id: PollId, tally: Tally, usedId: string): [PollId, string] {
  return [placeOf(id, tally), tally.hasDigests ? digestOf(usedId) : usedId];
}

/** Adds a ballot to the counts, or takes it out of them. */
function moveAnswers(poll: Poll, tally: Tally, ballot: StoredBallot, step: 1 | -1): void {
  const { answers, source, voided } = ballot;
  if (answers.length === 0) tally.withdrawn = (tally.withdrawn ?? 0) + step || undefined;
  else if (voided) tally.voidedVotes = (tally.voidedVotes ?? 0) + step * answers.length || undefined;
  else {
    tally.voters += step;
    countSource(tally, source, step);
    for (const answer of answers) tally.votes[poll.answers.findIndex(({ id }) => id === answer)]! += step;
  }
}

function rejected(outcome: BallotOutcome): BallotReceipt {
  return { outcome, version: 0 };
}

function resultsOf(tally: Tally, readAtMs: number): Results {
  const { version, votes, voters, chatVoters, voidedVotes, withdrawn } = tally;
  const { deadlineMs, closesInMs, resultsVisibility, revealedFrom, edition } = tally;
  return {
    version,
    votes,
    totalVoters: voters,
    chatVoters,
    voidedVotes,
    withdrawn,
    status: statusOf(tally, readAtMs),
    deadlineMs,
    closesInMs,
    resultsVisibility,
    revealedFrom,
    edition,
    readAtMs,
  };
}
