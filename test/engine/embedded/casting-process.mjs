// Casts ballots with the built engine until it is killed, and says which were acknowledged: a line each on stdout.
const [, , engineFile, dataDir, pollId, answerId, workers] = process.argv;
const { openEngine } = await import(engineFile);
const engine = await openEngine({ dataDir });
let number = 0;

async function work() {
  for (;;) {
    number += 1;
    const ballotId = `ballot-${number}`;
    const { outcome } = await engine.castBallot({
      pollId,
      answers: [answerId],
      voter: ballotId,
      address: ballotId,
      ballotId,
    });
    process.stdout.write(`${outcome} ${ballotId}\n`);
  }
}

await Promise.all(Array.from({ length: Number(workers) }, work));
