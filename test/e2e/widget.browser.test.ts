import { describe, expect, it } from 'vitest';
import { takeShow } from '../support/test-show.ts';
import { voidBallots } from '../support/void-ballots.ts';
import { browserRig } from './browser-rig.ts';
import { filled, moment, texts, widget } from './widget-page.ts';
import { WidgetSite } from './widget-site.ts';

const rig = browserRig(WidgetSite.open);

describe('on a page of another origin', () => {
  it('finds its relay by its script, and moves with every vote', async () => {
    const { id } = await rig.site.create();
    const page = await rig.site.visit(rig.browser, widget(id));
    await moment(page, 'waiting').waitFor();
    expect(await texts(page, 'note')).toEqual(['Waiting for the first vote']);
    await rig.site.cast(id, 0, 3);
    await rig.site.cast(id, 1, 1);
    await page.getByText('4 votes').waitFor();
    expect(await texts(page, 'title')).toEqual(['Which song next?']);
    expect(await texts(page, 'answer')).toEqual(['Waterloo', 'Volare']);
    expect(await texts(page, 'percent')).toEqual(['75%', '25%']);
    expect(await texts(page, 'count')).toEqual(['3', '1']);
    expect(await filled(page, 0)).toBeCloseTo(0.75, 2);
    expect(await filled(page, 1)).toBeCloseTo(0.25, 2);
  });

  it('says how many votes were removed only with voided="show"', async () => {
    const { id } = await rig.site.create();
    const page = await rig.site.visit(rig.browser, widget(id) + widget(id, 'voided="show"'));
    await rig.site.cast(id, 0, 2);
    await page.getByText('2 votes').nth(1).waitFor();
    await voidBallots(rig.site.engine.polls, id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    await page.getByText('2 votes removed').waitFor();
    expect(await texts(page, 'note')).toEqual([
      'Waiting for the first vote',
      'Waiting for the first vote · 2 votes removed',
    ]);
  });

  it('shares one socket with other widgets, and closes it with the last', async () => {
    const [one, two] = [await rig.site.create(), await rig.site.create({ title: 'And then?' })];
    const page = await rig.site.visit(rig.browser, '');
    const sockets: string[] = [];
    page.on('websocket', socket => sockets.push(socket.url()));
    const closed = page.waitForEvent('websocket').then(socket => socket.waitForEvent('close'));
    await page.evaluate(
      html => {
        document.body.innerHTML = html;
      },
      widget(one.id) + widget(two.id) + widget(one.id, 'sort="votes"'),
    );
    await expect.poll(() => texts(page, 'title')).toHaveLength(3);
    await rig.site.cast(two.id, 1);
    await page.getByText('1 vote').waitFor();
    // Polls arrive in any order.
    await expect
      .poll(() => texts(page, 'note'))
      .toEqual(['Waiting for the first vote', '1 vote', 'Waiting for the first vote']);
    expect(sockets).toHaveLength(1);
    await page.evaluate(() => document.body.replaceChildren());
    await closed;
  });

  it('shows markup as text', async () => {
    const evil = '<img src=x onerror="document.title=1"><b>&amp;';
    const { id } = await rig.site.create({ title: evil, answers: [evil, `${evil}2`] });
    const page = await rig.site.visit(rig.browser, widget(id));
    await moment(page, 'waiting').waitFor();
    expect(await texts(page, 'title')).toEqual([evil]);
    expect(await texts(page, 'answer')).toEqual([evil, `${evil}2`]);
    expect(await page.locator('poll-results img[onerror], poll-results b').count()).toBe(0);
    expect(await page.title()).toBe('A page');
  });

  it('dispatches events', async () => {
    const { id } = await rig.site.create();
    const page = await rig.site.visit(rig.browser, widget(id), {
      head: `<script>
        window.told = [];
        addEventListener('poll-results', event => told.push(event.detail.version));
        addEventListener('poll-state', event => told.push(event.detail.state));
      </script>`,
    });
    await moment(page, 'waiting').waitFor();
    await expect.poll(() => page.evaluate('told')).toEqual([expect.any(Number), 'live']);
  });

  it('uses the CSS variables of the page, and none of its other styles', async () => {
    const { id } = await rig.site.create();
    await rig.site.cast(id, 0);
    const page = await rig.site.visit(rig.browser, widget(id), {
      head: `<style>
        poll-results { --poll-bar-leader: rgb(1, 2, 3); --poll-bar-height: 31px; --poll-font: 20px serif; }
        .fill { background: red !important } div { display: none }
        poll-results::part(note) { letter-spacing: 3px }
      </style>`,
    });
    await moment(page, 'open').waitFor();
    const styles = await page.locator('.leads').evaluate(row => ({
      leader: getComputedStyle(row.querySelector('.fill')!).backgroundColor,
      height: row.querySelector('.track')!.getBoundingClientRect().height,
      font: getComputedStyle(row).fontSize,
      display: getComputedStyle(row.querySelector('.track')!).display,
    }));
    expect(styles).toEqual({ leader: 'rgb(1, 2, 3)', height: 31, font: '20px', display: 'block' });
    expect(await page.locator('.note').evaluate(note => getComputedStyle(note).letterSpacing)).toBe('3px');
  });

  it('polls without WebSocket, with its key in a header', async () => {
    const { id, view_key } = await rig.site.create({ results_visibility: 'hidden' });
    await rig.site.cast(id, 0);
    const page = await rig.site.visit(rig.browser, widget(id, `view-key="${view_key}"`), {
      head: '<script>delete window.WebSocket</script>',
    });
    await moment(page, 'open').waitFor();
    await rig.site.cast(id, 0);
    await page.getByText('2 votes').waitFor();
  });

  it('aligns figures', async () => {
    const { id } = await rig.site.create();
    await rig.site.cast(id, 0, 101);
    await rig.site.cast(id, 1, 1);
    const page = await rig.site.visit(rig.browser, widget(id));
    await moment(page, 'open').waitFor();
    for (const part of ['percent', 'count']) {
      const edges = page
        .locator(`.${part}`)
        .evaluateAll(all => all.map(cell => Math.round(cell.getBoundingClientRect().right)));
      expect(new Set(await edges).size).toBe(1);
    }
  });

  it('follows a show from poll to poll', async () => {
    const [one, two] = [await rig.site.create({ title: 'One' }), await rig.site.create({ title: 'Two' })];
    await rig.site.point('evening', one.id);
    const page = await rig.site.visit(rig.browser, '<poll-results show="evening"></poll-results>');
    await expect.poll(() => texts(page, 'title')).toEqual(['One']);
    await rig.site.point('evening', two.id);
    await expect.poll(() => texts(page, 'title')).toEqual(['Two']);
    await rig.site.point('evening', null);
    await moment(page, 'connecting').waitFor();
  });

  it('marks the winner of a show once it came on a press, and that of a poll with the close', async () => {
    const { relayUrl } = rig.site;
    const show = await takeShow({ url: relayUrl });
    await show.patch({ winner: 'press' });
    const { id } = (await show.addPoll()).json;
    await show.press('next');
    await show.press('open');
    await rig.site.cast(id, 0, 3);
    const page = await rig.site.visit(
      rig.browser,
      `<poll-results show="${show.name}"></poll-results>${widget(id)}`,
    );
    const badges = () =>
      page
        .locator('poll-results')
        .evaluateAll(all =>
          all.map(({ shadowRoot }) => shadowRoot?.querySelector('.tag')?.textContent ?? ''),
        );
    await show.press('close');
    await expect.poll(badges).toEqual(['', 'Winner']);
    await show.press('step');
    await expect.poll(badges).toEqual(['Winner', 'Winner']);
  });
});
