// Opens a data directory with the built engine and holds it until it is killed: says so, or why not, on stdout.
const [, , engineFile, dataDir] = process.argv;
const { openEngine } = await import(engineFile);
try {
  await openEngine({ dataDir });
  process.stdout.write('open\n');
  setInterval(() => {}, 60_000);
} catch (error) {
  process.stdout.write(`${error.message}\n`);
}
