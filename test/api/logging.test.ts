import { expect, it } from 'vitest';
import { ask, post } from '../support/api-request.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { EventClient } from '../support/event-client.ts';
import { LiveClient } from '../support/live-client.ts';
import { logLines } from '../support/log-lines.ts';
import { startTestRelay } from '../support/test-relay.ts';

/** Contract section 3: a key is never logged, whatever carried it and whatever went wrong. */
it('writes no key to the log, at any level and in any error', async () => {
  const { logger, lines } = logLines('trace');
  const inner = await startTestRelay();
  const faulty = new EngineDouble(inner.engine);
  const relay = await startTestRelay({
    engine: faulty.engine,
    logger,
    operatorKeys: ['operator-key-of-the-tests'],
  });
  const { id, view_key, admin_key } = await relay.create({ results_visibility: 'hidden' });
  const askAll = async () => {
    const paths = [
      `/api/poll/${id}?key=${view_key}`,
      `/api/poll/${id}/live?key=${admin_key}`,
      `/nowhere?key=${view_key}`,
    ];
    for (const path of paths) {
      const live = await LiveClient.open(`${relay.wsUrl}${path}`);
      live.close();
      (await EventClient.open(`${relay.url}${path}`)).close();
      await ask(`${relay.url}${path}`, { headers: { 'x-api-key': admin_key }, method: 'DELETE' });
    }
    await post(relay.url, { poll: { key: view_key } }, { 'api-key': 'operator-key-of-the-tests' });
  };
  await askAll();
  faulty.lose();
  await askAll();
  await relay.close();
  await inner.close();
  expect(lines.join('')).toContain('engine_unavailable');
  for (const secret of [view_key, admin_key, 'operator-key-of-the-tests'])
    expect(lines.join('')).not.toContain(secret);
});
