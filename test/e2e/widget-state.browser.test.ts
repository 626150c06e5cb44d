import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserRig } from './browser-rig.ts';
import { filled, moment, texts, widget } from './widget-page.ts';
import { WidgetSite } from './widget-site.ts';

const rig = browserRig(WidgetSite.open);

describe('every state', () => {
  it('hides the counts until the reveal', async () => {
    const { id, view_key } = await rig.site.create({ results_visibility: 'hidden' });
    await rig.site.cast(id, 0, 2);
    const page = await rig.site.visit(rig.browser, widget(id));
    await moment(page, 'hidden').waitFor();
    expect(await texts(page, 'note')).toEqual(['Results to follow']);
    expect(await texts(page, 'count')).toEqual(['', '']);
    await rig.site.engine.polls.change(id, { resultsVisibility: 'always' });
    await moment(page, 'open').waitFor();
    expect(await texts(page, 'count')).toEqual(['2', '0']);
    await rig.site.engine.polls.change(id, { resultsVisibility: 'hidden' });
    await moment(page, 'hidden').waitFor();
    const insider = await rig.site.visit(rig.browser, widget(id, `view-key="${view_key}"`));
    await moment(insider, 'open').waitFor();
  });

  it('reports wrong attributes, and shows the poll once they are fixed', async () => {
    const { id } = await rig.site.create();
    const page = await rig.site.visit(rig.browser, '<poll-results theme="blue"></poll-results>');
    const said: string[] = [];
    page.on('console', message => said.push(message.text()));
    await moment(page, 'faulty').waitFor();
    expect((await texts(page, 'note'))[0]).toContain('set poll to the id of a poll');
    await page.evaluate(poll => document.querySelector('poll-results')?.setAttribute('poll', poll), id);
    await moment(page, 'waiting').waitFor();
    expect(said.join()).toContain('theme="blue" is none of light, dark');
  });

  it('keeps and marks stale results while the relay is unreachable, and reconnects', async () => {
    const { id } = await rig.site.create();
    await rig.site.cast(id, 0, 5);
    const page = await rig.site.visit(rig.browser, widget(id));
    await page.getByText('5 votes').waitFor();
    await rig.site.stopRelay();
    await page.getByText('Not live right now').waitFor();
    expect(await texts(page, 'count')).toEqual(['5', '0']);
    await rig.site.cast(id, 1, 2);
    await rig.site.startRelay();
    await page.getByText('7 votes').waitFor();
    await expect.poll(() => texts(page, 'away')).toEqual(['']);
  });

  it('reports a deleted or unknown poll', async () => {
    const { id } = await rig.site.create();
    const page = await rig.site.visit(rig.browser, widget(id) + widget('nopenopenope'));
    await moment(page, 'waiting').waitFor();
    await moment(page, 'gone').waitFor();
    await rig.site.engine.polls.remove(id);
    await expect.poll(() => moment(page, 'gone').count()).toBe(2);
    expect(await texts(page, 'note')).toEqual(['This poll isn’t available', 'This poll isn’t available']);
    expect(await page.locator('.row').count()).toBe(0);
  });

  it('waits for a relay that is unreachable from the start', async () => {
    const { id } = await rig.site.create();
    const page = await rig.site.visit(rig.browser, '');
    await page.waitForFunction(() => customElements.get('poll-results'));
    await rig.site.stopRelay();
    await page.evaluate(html => {
      document.body.innerHTML = html;
    }, widget(id));
    await moment(page, 'connecting').waitFor();
    await rig.site.startRelay();
    await moment(page, 'waiting').waitFor();
  });
});

describe('motion', () => {
  const transitions = (page: Page): Promise<string[]> =>
    page
      .locator('.fill')
      .first()
      .evaluate(fill => {
        const { transitionProperty, transitionDuration } = getComputedStyle(fill);
        return [transitionProperty, transitionDuration];
      });

  it('draws the first picture without motion, and then moves by transform', async () => {
    const { id } = await rig.site.create();
    await rig.site.cast(id, 0);
    const page = await rig.site.visit(rig.browser, widget(id));
    await moment(page, 'open').waitFor();
    expect(
      await page.evaluate(() => document.querySelector('poll-results')!.shadowRoot!.getAnimations().length),
    ).toBe(0);
    await rig.site.cast(id, 1);
    await page.getByText('2 votes').waitFor();
    expect(await transitions(page)).toEqual(['transform', '0.35s']);
  });

  it('does not move with prefers-reduced-motion', async () => {
    const { id } = await rig.site.create();
    const page = await rig.site.visit(rig.browser, widget(id, 'sort="votes"'), { reducedMotion: 'reduce' });
    await moment(page, 'waiting').waitFor();
    await rig.site.cast(id, 1);
    await page.getByText('1 vote').waitFor();
    expect((await transitions(page))[1]).toBe('0s');
    expect(await filled(page, 0)).toBe(1);
  });

  it('slides rows to their new places', async () => {
    const { id } = await rig.site.create();
    await rig.site.cast(id, 0, 1);
    const page = await rig.site.visit(rig.browser, widget(id, 'sort="votes"'));
    await moment(page, 'open').waitFor();
    await rig.site.cast(id, 1, 2);
    await expect.poll(() => texts(page, 'answer')).toEqual(['Volare', 'Waterloo']);
    const settled = await page.locator('.rows').evaluate(async list => {
      await Promise.all(list.getAnimations({ subtree: true }).map(animation => animation.finished));
      return [...list.children].map(row => getComputedStyle(row).transform);
    });
    expect(settled).toEqual(['none', 'none']);
    expect(await filled(page, 0)).toBeCloseTo(2 / 3, 2);
  });
});

describe('texts', () => {
  it('are right to left as the page, user texts in their own direction', async () => {
    const { id } = await rig.site.create({ title: 'מה הלאה?', answers: ['שיר', 'Waterloo'] });
    await rig.site.cast(id, 0, 3);
    await rig.site.cast(id, 1, 1);
    const page = await rig.site.visit(rig.browser, `<div lang="he">${widget(id)}</div>`);
    await page.getByText('4 קולות').waitFor();
    const sides = await page
      .locator('.row')
      .first()
      .evaluate(row => {
        const [track, fill] = [row.querySelector('.track')!, row.querySelector('.fill')!];
        const [outer, inner] = [track.getBoundingClientRect(), fill.getBoundingClientRect()];
        return { right: Math.round(inner.right - outer.right), direction: getComputedStyle(row).direction };
      });
    expect(sides.direction).toBe('rtl');
    expect(sides.right).toBeGreaterThan(0);
    expect(await filled(page, 0)).toBeCloseTo(0.75, 2);
    const directions = page
      .locator('.label')
      .evaluateAll(all => all.map(text => getComputedStyle(text).direction));
    expect(await directions).toEqual(['rtl', 'ltr']);
  });

  it('of maximum length fit a narrow column', async () => {
    const { id } = await rig.site.create({
      title: 'W'.repeat(300),
      answers: ['W'.repeat(200), 'ש'.repeat(200), '👩‍👩‍👧‍👦'.repeat(28)],
    });
    await rig.site.cast(id, 0, 2);
    await rig.site.engine.polls.change(id, { closed: true });
    const page = await rig.site.visit(rig.browser, widget(id), { viewport: { width: 320, height: 640 } });
    await moment(page, 'closed').waitFor();
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(widths[0]).toBe(widths[1]);
  });
});
