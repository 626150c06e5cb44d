import { describe, expect, it } from 'vitest';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import { browserRig } from './browser-rig.ts';
import { drawScene, StagePages } from './stage-page.ts';
import type { StageWindow } from './stage-window.ts';

const rig = browserRig(browser => StagePages.bundle(browser));

describe('the motion of an overlay', () => {
  it('slides an answer as the same element, by transform', async () => {
    const page = await rig.site.open();
    await drawScene(page, '', knownResults([5, 3]));
    const second = page.locator('.row').nth(1);
    const handle = await second.elementHandle();
    const top = await second.evaluate(row => row.getBoundingClientRect().top);
    await drawScene(page, '', knownResults([5, 9]));
    const moving = await second.evaluate(row =>
      row.getAnimations({ subtree: true }).map(motion => (motion as CSSTransition).transitionProperty),
    );
    // The sinking answer fades, so that the two do not overlap.
    expect(new Set(moving.filter(property => property !== undefined))).toEqual(new Set(['transform']));
    const animated = await page.evaluate(() =>
      document
        .getAnimations()
        .filter(motion => !('transitionProperty' in motion))
        .flatMap(({ effect }) =>
          (effect as KeyframeEffect).getKeyframes().flatMap(frame => Object.keys(frame)),
        )
        .filter(name => ['opacity', 'zIndex'].includes(name)),
    );
    expect(new Set(animated)).toEqual(new Set(['opacity', 'zIndex']));
    await page.waitForFunction(() => document.getAnimations().length === 0);
    expect(await handle?.evaluate(row => row.getBoundingClientRect().top)).toBeLessThan(top);
    expect(await second.locator('.count').textContent()).toBe('9');
  });

  it('shows a single vote at once, but not before an entrance', async () => {
    const page = await rig.site.open();
    await drawScene(page, 'speed=0.25', knownResults([5000, 3000]));
    const counted = await page.evaluate(
      ([query, scene]) => {
        (globalThis as unknown as StageWindow).show(query, scene);
        return document.querySelector('.leads .count')?.textContent;
      },
      ['speed=0.25', { poll: knownResults([5001, 3000]), away: false }] as const,
    );
    expect(counted).toBe('5,001');
    const revealed = await page.evaluate(
      ([hidden, seen]) => {
        const { show } = globalThis as unknown as StageWindow;
        show('speed=0.25&reveal=rise', hidden);
        show('speed=0.25&reveal=rise', seen);
        return new Promise<string[]>(done => {
          const look = () => {
            if (!document.querySelector('.entering')) return requestAnimationFrame(look);
            return done([...document.querySelectorAll('.count')].map(count => count.textContent ?? ''));
          };
          look();
        });
      },
      [
        { poll: knownHidden(), away: false },
        { poll: knownResults([5, 3]), away: false },
      ] as const,
    );
    expect(revealed[0]).toBe('0');
  });

  it('draws the first picture without motion', async () => {
    const page = await rig.site.open();
    await drawScene(page, '', knownResults([5, 3]));
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    expect(await page.locator('.percent').first().textContent()).toBe('62%');
  });

  it('animates the panel’s height without squeezing its content', async () => {
    const page = await rig.site.open();
    const heights = () =>
      page.evaluate(() => {
        const panel = document.querySelector<HTMLElement>('.panel')!;
        const [glide] = panel.getAnimations();
        glide?.pause();
        if (glide) glide.currentTime = 0;
        const { height } = panel.getBoundingClientRect();
        const squeezed = [...panel.children].filter(child => child.scrollHeight > child.clientHeight + 2);
        glide?.finish();
        return { from: height, squeezed: squeezed.length, to: panel.getBoundingClientRect().height };
      });
    const turnTo = (votes: number[]) => drawScene(page, 'speed=0.25', knownResults(votes));
    await turnTo([5, 3]);
    const low = await heights();
    expect(low.from).toBe(low.to);
    await turnTo([5, 3, 2, 1]);
    const grown = await heights();
    expect(grown.from).toBeCloseTo(low.to, 0);
    expect(grown.to).toBeGreaterThan(low.to + 50);
    await turnTo([5, 3]);
    const shrunk = await heights();
    expect(shrunk.from).toBeCloseTo(grown.to, 0);
    expect(shrunk.to).toBeCloseTo(low.to, 0);
    expect([grown.squeezed, shrunk.squeezed]).toEqual([0, 0]);
  });

  it('replaces a poll on the same panel: one leaves, then the other enters', async () => {
    const page = await rig.site.open();
    await drawScene(page, 'speed=0.5', knownResults([5, 3]));
    const plate = await page.locator('.panel').elementHandle();
    await drawScene(page, 'speed=0.5', knownResults([1, 9], { id: 'p2', title: 'Another question' }));
    expect(await page.locator('.title').textContent()).toBe('A question');
    await page.locator('.tallycast.entering').waitFor();
    expect(await page.locator('.title').textContent()).toBe('Another question');
    expect(await page.locator('.arriving').count()).toBe(0);
    await page.waitForFunction(() => document.getAnimations().length === 0);
    expect(await page.locator('.leads .percent').textContent()).toBe('90%');
    expect(await plate?.evaluate(panel => panel.isConnected)).toBe(true);
    // The latest poll enters, or none if it was deleted meanwhile.
    await drawScene(page, 'speed=0.5', knownResults([2, 2], { id: 'p3' }));
    await drawScene(page, 'speed=0.5', knownResults([3, 2], { id: 'p3' }));
    await page.waitForFunction(() => document.querySelector('.leads .percent')?.textContent === '60%');
    await drawScene(page, 'speed=0.5', knownResults([1, 1], { id: 'p4' }));
    await drawScene(page, 'speed=0.5', undefined);
    await page.locator('.panel').waitFor({ state: 'hidden' });
  });

  it('reveals hidden results from the last place to the first, with the latest counts', async () => {
    const page = await rig.site.open();
    await drawScene(page, '', knownHidden());
    expect(await page.locator('.label').allTextContents()).toEqual(['Answer 1', 'Answer 2']);
    expect(await page.locator('.values').first().isVisible()).toBe(false);
    await drawScene(page, '', knownResults([2, 6]));
    await page.locator('.tallycast.entering').waitFor();
    const delays = await page
      .locator('.row')
      .evaluateAll(rows =>
        rows.map(row => [
          row.querySelector('.label')?.textContent,
          Number.parseInt((row as HTMLElement).style.getPropertyValue('--delay'), 10),
        ]),
      );
    expect(Object.fromEntries(delays)).toEqual({ 'Answer 2': 1800, 'Answer 1': 0 });
    await drawScene(page, '', knownResults([2, 8]));
    await page.waitForFunction(() => document.getAnimations().length === 0);
    expect(await page.locator('.leads .percent').textContent()).toBe('80%');
    await drawScene(page, 'reveal=instant', knownHidden());
    await drawScene(page, 'reveal=instant', knownResults([2, 6]));
    expect(await page.locator('.leads .percent').textContent()).toBe('75%');
  });

  it('keeps the name of the leader from the middle of the ring until the pause is over', async () => {
    const page = await rig.site.open();
    await drawScene(page, 'style=donut', knownHidden());
    await drawScene(page, 'style=donut', knownResults([5, 9, 2]));
    await page.locator('.tallycast.entering').waitFor();
    const center = page.locator('.center');
    expect(await center.evaluate(element => getComputedStyle(element).animationDelay)).toBe('2.12s');
    expect(await center.evaluate(element => getComputedStyle(element).opacity)).toBe('0');
    expect(await center.locator('.best').textContent()).toBe('0%');
  });

  it.each([
    ['bars', '.row'],
    ['columns', '.row'],
    ['donut', '.part'],
    ['versus', '.fill'],
    ['ticker', '.row'],
  ] as const)('continues an entrance of %s when a vote arrives', async (style, moved) => {
    const page = await rig.site.open();
    const query = `style=${style}&speed=0.25`;
    const delays = () =>
      page
        .locator(moved)
        .evaluateAll(parts => parts.map(part => (part as HTMLElement).style.getPropertyValue('--delay')));
    await drawScene(page, query, knownHidden());
    await drawScene(page, query, knownResults([2, 6]));
    await page.locator('.tallycast.entering').waitFor();
    const before = await delays();
    expect(new Set(before).size).toBe(2);
    await drawScene(page, query, knownResults([2, 8]));
    expect(await page.locator('.tallycast.entering').count()).toBe(1);
    expect(await delays()).toEqual(before);
  });

  it.each([
    ['speed=0', 'no-preference'],
    ['speed=1', 'reduce'],
  ] as const)('has no motion with %s and prefers-reduced-motion: %s', async (query, reducedMotion) => {
    const page = await rig.site.open();
    await page.emulateMedia({ reducedMotion });
    await drawScene(page, query, knownResults([5, 3]));
    await drawScene(page, query, knownResults([5, 95]));
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    expect(await page.locator('.leads .percent').textContent()).toBe('95%');
  });

  it.each([
    ['', false],
    ['away=1', true],
    ['style=ticker&total=0&away=1', true],
  ] as const)('marks a lost connection only when asked to: "%s"', async (query, isMarked) => {
    const page = await rig.site.open();
    await drawScene(page, query, knownResults([5, 3]), true);
    expect(await page.locator('.away').isVisible()).toBe(isMarked);
    await drawScene(page, query, knownResults([5, 3]));
    expect(await page.locator('.away').isVisible()).toBe(false);
  });

  it('turns off `hide` seconds after the end, also when loaded later', async () => {
    const page = await rig.site.open();
    const endedAgo = (seconds: number) =>
      knownResults([5, 3], {
        status: 'closed',
        timestamp: Math.floor(Date.now() / 1000),
        deadline: new Date(Date.now() - seconds * 1000).toISOString(),
      });
    await drawScene(page, 'hide=60', endedAgo(10));
    expect(await page.locator('.tallycast.off').count()).toBe(0);
    await drawScene(page, 'hide=60&', endedAgo(70));
    expect(await page.locator('.tallycast.off').count()).toBe(1);
  });
});
