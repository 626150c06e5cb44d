import { describe, expect, it } from 'vitest';
import { heldClock } from '../support/held-clock.ts';
import { createPollWithCode, startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

const rig = browserRig(async () => {
  const site = await startLiveSite({ clock: heldClock() });
  // Of ten networks, so that none has reached its own limit.
  for (let nth = 0; nth < 200; nth += 1)
    await site.visitor({ address: `198.51.100.${nth % 10}` }).get(`/join/${1_000_000 + nth}`);
  return site;
});

describe('a join code while many wrong ones are tried', () => {
  it('is typed on the home page, and leads to its poll without another press', async () => {
    const { id, code } = await createPollWithCode(rig.site.engine);
    const page = await rig.browser.newPage({ locale: 'en-US' });
    await page.goto(rig.site.url);
    await page.getByLabel('Enter a code').fill(code);
    const sent = page.waitForRequest(
      request => request.method() === 'POST' && request.url().endsWith('/join'),
    );
    await page.getByRole('button', { name: 'Continue' }).click();
    expect((await sent).postData()).toContain('proof=%7B');
    await page.waitForURL(`${rig.site.url}/${id}`);
  });

  it('that is wrong is said to be so after the check', async () => {
    const page = await rig.browser.newPage({ locale: 'en-US' });
    await page.goto(`${rig.site.url}/join/1000001`);
    await page.getByRole('heading', { name: 'There’s no poll with this code' }).waitFor();
  });

  it('is not looked up without a script or without cookies, and the page says why', async () => {
    const { code } = await createPollWithCode(rig.site.engine);
    const context = await rig.browser.newContext({ locale: 'en-US', javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${rig.site.url}/join/${code}`);
    await page.getByText('needs JavaScript').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'The check that you’re human didn’t run' }).waitFor();

    const plain = await rig.browser.newPage({ locale: 'en-US' });
    // The form sends itself once, and not again after it was rejected.
    await plain.route('**/join/*', async route => {
      const response = await route.fetch();
      await plain.context().clearCookies();
      const { 'set-cookie': _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    let posts = 0;
    plain.on('request', request => {
      if (request.method() === 'POST') posts += 1;
    });
    await plain.goto(`${rig.site.url}/join/${code}`);
    await plain.getByRole('heading', { name: 'Cookies are blocked' }).waitFor();
    await plain.locator('[data-proof][data-solved]').waitFor();
    expect(posts).toBe(1);
  });
});
