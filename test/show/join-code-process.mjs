import { readFile } from 'node:fs/promises';

// Draws, releases and looks up join codes of shows side by side with the built engine, at the time
// that it is given, until it is killed. Says each outcome in a line on stdout.
const [, , dist, options, given] = process.argv;
const { openEngine } = await import(`${dist}/engine/open-engine.js`);
const { engineWith } = await import(`${dist}/engine/engine-with.js`);
const { drawJoinCode, findJoined, ownerShow, sweepJoinCodes } = await import(`${dist}/show/join-codes.js`);
const { createShow } = await import(`${dist}/show/shows.js`);
const { nowMs, draws, releases, finds, sweeps } = JSON.parse(await readFile(given, 'utf8'));
const inner = await openEngine(JSON.parse(options));
const engine = engineWith(inner, { polls: { now: async () => nowMs } });
const WORKERS = 64;

const say = text => process.stdout.write(`${text}\n`);

const acts = {
  /** A process that was killed may have stored it. */
  async draw(name) {
    const stored = await engine.records.find(`show:${name}`);
    const joinCode = stored ? JSON.parse(stored).joinCode : await drawJoinCode(engine, ownerShow(name, name));
    if (!stored) await createShow(engine, { name, id: name, title: '', joinCode }, 'f'.repeat(64));
    say(`drawn ${name} ${joinCode}`);
  },
  async release(name) {
    await engine.records.remove(`show:${name}`);
    say(`released ${name}`);
  },
  async find(name, code) {
    say(`found ${name} ${(await findJoined(engine, code))?.show}`);
  },
};

const work = [
  ...draws.map(name => ['draw', name]),
  ...releases.map(name => ['release', name]),
  ...finds.map(([name, code]) => ['find', name, code]),
];
// Every kind among the others.
const stride = [7919, 7907].find(prime => work.length % prime !== 0);
let next = 0;
async function worker() {
  while (next < work.length) {
    const [act, ...args] = work[(next++ * stride) % work.length];
    await acts[act](...args);
  }
}
await Promise.all([sweeps && sweepJoinCodes(engine), ...Array.from({ length: WORKERS }, worker)]);
say('end');
await engine.close();
