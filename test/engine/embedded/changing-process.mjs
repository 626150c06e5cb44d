// Changes a poll with the built engine, says so on stdout, and waits to be killed.
const [, , engineFile, dataDir, pollId, change] = process.argv;
const { openEngine } = await import(engineFile);
const engine = await openEngine({ dataDir });
const isChanged = await engine.polls.change(pollId, JSON.parse(change));
process.stdout.write(`${isChanged}\n`);
setInterval(() => {}, 60_000);
