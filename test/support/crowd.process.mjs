import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { openEngine } from '../../dist/engine/open-engine.js';
import { readConfig, settingsOf } from '../../dist/start/config.js';
import { buildRelay } from '../../dist/start/relay.js';
import { openServices } from '../../dist/start/services.js';

/**
 * The built relay, subscribers and ballots in one process, on whatever Node runs it: prints what
 * each subscriber shows in the end and what was logged. Ends by itself when all show every ballot;
 * its caller limits the time.
 */

const SUBSCRIBERS = Number(process.argv[2] ?? 50);
const BALLOTS = 100;
const PAUSE_MS = 20;

const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-'));
const lines = [];
const logger = pino({ level: 'warn' }, { write: line => lines.push(JSON.parse(line).msg) });
const engine = await openEngine({ dataDir });
const settings = settingsOf(readConfig({}));
const services = await openServices({ ...settings, operatorKeys: [], engine, logger });
const app = await buildRelay({ ...settings, services, logger });
const url = await app.listen({ host: '127.0.0.1', port: 0 });
/** On a busy machine the engine may be late, and says so: then again, which counts nothing twice. */
async function insist(attempt) {
  for (;;) {
    const result = await attempt().catch(() => undefined);
    if (result !== undefined) return result;
    await new Promise(done => setTimeout(done, PAUSE_MS));
  }
}
const { id, poll_answers } = await insist(async () => {
  const created = await fetch(`${url}/api/poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ poll: { title: 'All here?', answers: ['All', 'None'], mip: true } }),
  });
  return created.ok ? created.json() : undefined;
});

const shown = Array(SUBSCRIBERS).fill(0);
let closes = 0;
for (let index = 0; index < SUBSCRIBERS; index += 1) watch(index);

function watch(index) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/poll/${id}/live?hz=20`);
  socket.on('message', text => {
    shown[index] = JSON.parse(text).total_votes;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closes += 1;
    watch(index);
  });
}

for (let cast = 0; shown.some(votes => votes < BALLOTS); cast += 1) {
  const voter = `voter-${cast}`;
  const ballot = { pollId: id, answers: [poll_answers[0].id], voter, address: voter, ballotId: voter };
  if (cast < BALLOTS) await insist(() => engine.castBallot(ballot));
  await new Promise(done => setTimeout(done, PAUSE_MS));
}
process.stdout.write(JSON.stringify({ shown, closes, lines }));
// LMDB's writer still waits for this thread while a write is on its way, and an exit would wait for LMDB.
await engine.close();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
