import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { applyStep } from '../contract/engine/apply-step.mjs';

// Applies the histories of several polls side by side with the built engine until it is killed.
// Says each outcome in a line on stdout, with a question mark if a call failed before: then the
// step may have been applied twice.
const [, , dist, options, given] = process.argv;
const { openEngine } = await import(`${dist}/engine/open-engine.js`);
const { addVoidRule, removeVoidRule, settleBallots } = await import(`${dist}/engine/void-ballots.js`);
const { planCorrection } = await import(`${dist}/poll/correct-poll.js`);
const engine = await openEngine(JSON.parse(options));
const settled = decide => async (polls, id, rule) => {
  if (await decide(polls, id, rule)) await settleBallots(polls, id);
};
const modules = {
  engine,
  planCorrection,
  voidBallots: settled(addVoidRule),
  restoreBallots: settled(removeVoidRule),
};

// Waits until the pipe has taken the line: a kill loses what still waits in this process.
const say = line => new Promise(done => process.stdout.write(line, done));

async function follow([pollId, steps]) {
  for (const step of steps) {
    let isRepeated = false;
    for (;;)
      try {
        const reply = await applyStep(modules, pollId, step);
        const outcome = step.kind === 'ballot' ? reply.outcome : 'done';
        await say(`${pollId} ${outcome}${isRepeated ? ' ?' : ''}\n`);
        break;
      } catch {
        isRepeated = true;
        await pause(50);
      }
  }
}

// By a file: a history is longer than arguments may be.
await Promise.all(Object.entries(JSON.parse(await readFile(given, 'utf8'))).map(follow));
process.stdout.write('end\n');
await engine.close();
