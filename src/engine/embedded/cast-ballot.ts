import type { Ballot, BallotOutcome, BallotReceipt } from '../../poll/ballot.ts';
import type { Poll, PollId } from '../../poll/poll.ts';
import { digestOf } from '../archive.ts';
import type { EmbeddedTables } from './embedded-tables.ts';
import type { OpenTallies } from './open-tallies.ts';
import { expiryOf, statusOf } from './tally.ts';

/**
 * Checks and counts one ballot. Runs inside a write transaction, so nothing moves between the checks and the count; all
 * checks come before the first write, so a refusal leaves no trace.
 *
 * @param poll as it was created; undefined where there is none
 * @param nowMs UNIX time in milliseconds
 * @param retentionMs of a poll that was made before polls had their own
 */
export function castInTransaction(
  tables: EmbeddedTables,
  tallies: OpenTallies,
  poll: Poll | undefined,
  ballot: Ballot,
  nowMs: number,
  retentionMs: number | undefined,
): BallotReceipt {
  const id = ballot.pollId;
  const tally = tallies.get(id);
  if (!poll || !tally) return refused('poll_not_found');

  const earlier = tables.ballotVersions.get([id, ballot.ballotId]);
  if (earlier !== undefined) return { outcome: 'repeated', version: earlier };
  const status = statusOf(tally, nowMs);
  if (status !== 'open') return refused(status === 'closed' ? 'poll_closed' : 'poll_not_open');
  const chosen = chosenIndexes(poll, ballot);
  if (!chosen) return refused('invalid_answers');
  const name = ballot.name?.trim() ?? '';
  if (poll.settings.requireName && name === '') return refused('name_required');
  const keyOf = (usedId: string): [PollId, string] => [id, tally.hasDigests ? digestOf(usedId) : usedId];
  const [voter, address] = [keyOf(ballot.voter), keyOf(ballot.address)];
  const proof = ballot.proof && keyOf(ballot.proof.id);
  if (tables.voters.doesExist(voter)) return refused('duplicate_voter');
  if (!poll.settings.sharedAddress && tables.addresses.doesExist(address))
    return refused('duplicate_address');
  if (proof && tables.proofs.doesExist(proof)) return refused('proof_used');

  const version = tally.version + 1;
  tables.ballots.putSync([id, version], {
    ballotId: ballot.ballotId,
    answers: ballot.answers,
    name: poll.settings.requireName ? name : null,
    castAtMs: nowMs,
    ...(ballot.network && { network: ballot.network }),
  });
  tables.ballotVersions.putSync([id, ballot.ballotId], version);
  tables.voters.putSync(voter, true);
  if (!poll.settings.sharedAddress) tables.addresses.putSync(address, true);
  if (proof) tables.proofs.putSync(proof, ballot.proof?.expiresAtMs ?? 0);

  for (const index of chosen) tally.votes[index] = (tally.votes[index] ?? 0) + 1;
  tally.voters += 1;
  tally.version = version;
  if (retentionMs !== undefined) tally.retentionMs ??= retentionMs;
  tally.expiresAtMs = expiryOf(tally, nowMs);
  tallies.put(id, tally);
  return { outcome: 'accepted', version };
}

function chosenIndexes(poll: Poll, { answers }: Ballot): number[] | undefined {
  if (answers.length === 0 || (answers.length > 1 && !poll.settings.allowMultiple)) return undefined;
  const indexes = answers.map(answerId => poll.answers.findIndex(answer => answer.id === answerId));
  const distinct = new Set(indexes);
  return distinct.has(-1) || distinct.size < answers.length ? undefined : indexes;
}

function refused(outcome: BallotOutcome): BallotReceipt {
  return { outcome, version: 0 };
}
