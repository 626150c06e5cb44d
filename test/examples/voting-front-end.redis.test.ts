// @module-tag redis-server
// @module-tag python3
import { expect, it } from 'vitest';
import { allBallots, expectSound, readResults } from '../contract/engine/engine-subject.ts';
import { redisEngineRig } from '../engine/redis/redis-subject.ts';
import { findFreePort } from '../support/free-port.ts';
import { programPath } from '../support/programs.ts';
import { startTestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { runExample } from './run-example.ts';

const { start, openAt, closeAfter } = redisEngineRig();

it('shows the answers, casts a ballot, counts neither a retry nor a second ballot, and changes and withdraws it', async () => {
  const server = await start();
  const engine = await openAt(server.url);
  const relay = await startTestRelay({ engine });
  closeAfter(() => relay.close());
  const { id } = await relay.create({
    title: 'Tea & <cake>?',
    answers: ['Tea', 'Cake'],
    mip: true,
    change_vote: true,
  });

  const port = await findFreePort();
  const env = {
    SECRET: 'of the test',
    PORT: `${port}`,
    REDIS_PORT: `${server.port}`,
    TALLYCAST_URL: relay.url,
  };
  runExample([programPath('python3'), 'voting-front-end.py', id], env);
  const url = `http://127.0.0.1:${port}/`;
  await until(
    () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    'the front end to listen',
    30_000,
  );

  const open = async () => {
    const reply = await fetch(url);
    const text = await reply.text();
    return {
      text,
      cookie: reply.headers.get('set-cookie')?.split(';')[0] ?? '',
      ballot: /name=ballot value=([\w-]+)/.exec(text)?.[1] ?? '',
      answers: [...text.matchAll(/name=answer type=radio value=([\w-]+)/g)].map(([, answer = '']) => answer),
    };
  };
  const vote = async (cookie: string, ballot: string, answer: string, change?: '1') => {
    const body = new URLSearchParams({ ballot, answer, ...(change && { change }) });
    const reply = await fetch(url, { method: 'POST', headers: { cookie }, body });
    return `${reply.status} ${/<p>([^<]*)/.exec(await reply.text())?.[1]}`;
  };

  const page = await open();
  expect(page.text).toContain('<h1>Tea &amp; &lt;cake&gt;?</h1>');
  const cake = page.answers[1] as string;
  expect(await vote(page.cookie, page.ballot, cake)).toBe('200 Your vote has been counted.');
  expect(await vote(page.cookie, page.ballot, cake)).toBe('200 repeated 2');
  expect(await vote(page.cookie, (await open()).ballot, cake)).toBe('200 duplicate_voter');
  expect(await vote((await open()).cookie, 'another', 'no such answer')).toBe('200 invalid_answers');
  expect(await vote('', page.ballot, cake)).toMatch(/^400 /);
  expect(await readResults(engine, id)).toMatchObject({ votes: [0, 1], totalVoters: 1 });
  expect(await allBallots(engine, id)).toMatchObject([{ answers: [cake] }]);
  await expectSound(engine, id);

  const tea = page.answers[0] as string;
  expect(page.text).toContain('<button name=change value=1>');
  const { ballot } = await open();
  expect(await vote(page.cookie, ballot, tea, '1')).toBe('200 Your vote has been counted.');
  expect(await vote(page.cookie, ballot, tea, '1')).toBe('200 repeated 3');
  expect(await readResults(engine, id)).toMatchObject({ votes: [1, 0], totalVoters: 1 });
  expect(await vote((await open()).cookie, 'of nobody', tea, '1')).toBe('200 change_not_allowed');
  expect(await vote(page.cookie, (await open()).ballot, '', '1')).toBe('200 Your vote has been counted.');
  expect(await readResults(engine, id)).toMatchObject({ votes: [0, 0], totalVoters: 0, withdrawn: 1 });
});
