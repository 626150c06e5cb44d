// @module-tag redis-server
import { afterEach, expect, it, vi } from 'vitest';
import { eventually } from '../../contract/engine/engine-subject.ts';
import { redisEngineRig } from './redis-subject.ts';

const { start, openAt, clientOf, proxyTo } = redisEngineRig();

afterEach(() => {
  vi.useRealTimers();
});

const HINT = />3\r\n\$7\r\nmessage\r\n\$\d+\r\n[^\r]*\r\n\$0\r\n\r\n/g;

it('reconnects a connection that answers and delivers nothing, and is ready again', async () => {
  // Only the probe's clock: connections live by the real one.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const server = await start();
  const proxy = await proxyTo(server);
  const errors: string[] = [];
  const engine = await openAt(proxy.url, { onError: ({ message }) => errors.push(message) });
  const operator = clientOf(server);
  const probes = async () => {
    vi.advanceTimersByTime(5_000);
    await operator.ping();
  };
  await probes();
  await eventually(async () => expect(await operator.pubsub('CHANNELS')).toHaveLength(1));
  await engine.hints.checkDelivery();

  proxy.rewriteReplies(reply => reply.replaceAll(HINT, ''));
  const unhearing = eventually(async () => {
    await probes();
    await expect(engine.hints.checkDelivery()).rejects.toMatchObject({ code: 'engine_unavailable' });
  });
  await unhearing;
  await eventually(async () => {
    await probes();
    expect(errors.join()).toContain('delivers no hints');
  });

  proxy.rewriteReplies(reply => reply);
  await eventually(async () => {
    await probes();
    await engine.hints.checkDelivery();
  });
});
