import { setTimeout as pause } from 'node:timers/promises';

// Casts ballots with the built engine until it is killed, and says which were acknowledged: a line each on stdout.
const [, , engineFile, dataDir, pollId, answerId, workers] = process.argv;
const { openEngine } = await import(engineFile);
const engine = await openEngine({ dataDir });
let number = 0;

async function work() {
  for (;;) {
    number += 1;
    const ballotId = `ballot-${number}`;
    process.stdout.write(`${await cast(ballotId)} ${ballotId}\n`);
  }
}

/** A disk that is slow for a moment refuses; the same ballot may always be cast again. */
async function cast(ballotId) {
  const ballot = { pollId, answers: [answerId], voter: ballotId, address: ballotId, ballotId };
  for (;;)
    try {
      return (await engine.castBallot(ballot)).outcome;
    } catch {
      await pause(50);
    }
}

await Promise.all(Array.from({ length: Number(workers) }, work));
