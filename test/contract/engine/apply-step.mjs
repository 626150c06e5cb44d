/**
 * Applies one step of a history to an engine. For tests, and for a process that is killed, which
 * has the built modules.
 */
export async function applyStep({ engine, voidBallots, restoreBallots, planCorrection }, pollId, step) {
  const { polls } = engine;
  if (step.kind === 'ballot') return polls.cast({ ...step.ballot, pollId });
  if (step.kind === 'void')
    return voidBallots(polls, pollId, { network: step.network, toMs: Number.MAX_SAFE_INTEGER });
  if (step.kind === 'restore') return restoreBallots(polls, pollId, step.network);
  if (step.kind === 'turn') return polls.change(pollId, { closed: step.closed });
  // Times are whole milliseconds, and the order within one is unknown.
  await laterThanNow(polls);
  const reading = await polls.find(pollId);
  const fresh = { edition: step.edition, createAnswerId: () => 'none' };
  const { correction } = planCorrection(reading, { title: step.edition }, fresh);
  if (correction) await polls.change(pollId, { correction });
  await laterThanNow(polls);
}

async function laterThanNow(polls) {
  const startMs = await polls.now();
  while ((await polls.now()) <= startMs + 1) await new Promise(setImmediate);
}
