import type { GraphicsAPI } from 'ograf';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserRig } from './browser-rig.ts';
import { looksLike } from './graphic-look.ts';
import { WidgetSite } from './widget-site.ts';

const rig = browserRig(WidgetSite.open);
const REAL_TIME = {
  renderType: 'realtime',
  renderCharacteristics: { resolution: { width: 960, height: 540 }, frameRate: 50 },
} as const;

/** A renderer's layer with the graphic of the package on it, as its module exports it. */
async function openGraphic(): Promise<Page> {
  const layer = '<div style="width:960px;height:540px" id="layer"></div>';
  const page = await rig.site.visit(rig.browser, layer, { viewport: { width: 960, height: 540 } });
  await page.addScriptTag({
    type: 'module',
    content: `import Graphic from '${rig.site.relayUrl}/overlay/templates/ograf/graphic.mjs';
      customElements.define('poll-graphic', Graphic);
      const graphic = document.createElement('poll-graphic');
      graphic.id = 'graphic';
      document.querySelector('#layer').append(graphic);`,
  });
  await page.locator('#graphic').waitFor({ state: 'attached' });
  return page;
}

type Method = keyof GraphicsAPI.Graphic;
type Call<M extends Method> = Parameters<GraphicsAPI.Graphic[M]>[0];

/** Calls a method of the graphic, and waits for its promise, as a renderer does. */
function act<M extends Method>(page: Page, method: M, argument: Call<M>) {
  return page.evaluate(
    ([name, given]) => {
      const graphic = document.querySelector('#graphic') as unknown as Record<
        string,
        (given: unknown) => Promise<{ statusCode: number; statusMessage: string; currentStep?: number }>
      >;
      return graphic[name]!(given);
    },
    [method as string, argument as unknown] as const,
  );
}

const look = (page: Page) => page.evaluate(looksLike);
const overlay = (path: string) => `${rig.site.relayUrl}/overlay/${path}`;

describe('the OGraf graphic', () => {
  it('loads, enters, reveals, leaves and is disposed, each done when its promise resolves', async () => {
    const { id } = await rig.site.create({ title: 'First', answers: ['One', 'Two', 'Three'] });
    await rig.site.cast(id, 2, 3);
    await rig.site.cast(id, 1, 2);
    await rig.site.cast(id, 0);
    const page = await openGraphic();
    expect(await act(page, 'load', { data: { url: overlay(id) }, ...REAL_TIME })).toMatchObject({
      statusCode: 200,
    });
    expect(await look(page)).toMatchObject({ on: false, blank: true });
    expect(await act(page, 'playAction', {})).toMatchObject({ statusCode: 200, currentStep: 0 });
    expect(await look(page)).toMatchObject({ on: true, moving: false, figures: ['50%', '33%', '17%'] });
    // In one task of the page, because the motion ends by itself.
    const [begun, told] = await page.evaluate<unknown[]>(`(async () => {
      const told = document.querySelector('#graphic').playAction({});
      return [await (${looksLike})(), await told];
    })()`);
    expect(begun).toMatchObject({ moving: true });
    expect(told).toMatchObject({ statusCode: 200, currentStep: 1 });
    expect(await look(page)).toMatchObject({ on: true, moving: false });
    expect((await act(page, 'playAction', {})).currentStep).toBeUndefined();
    expect(await look(page)).toMatchObject({ on: false, blank: true });
    expect(await act(page, 'playAction', { goto: 1, skipAnimation: true })).toMatchObject({ currentStep: 1 });
    expect(await look(page)).toMatchObject({ on: true, blank: false, moving: false });
    expect(await act(page, 'stopAction', {})).toMatchObject({ statusCode: 200 });
    expect(await look(page)).toMatchObject({ on: false, blank: true });
    await act(page, 'dispose', {});
    expect(await look(page)).toEqual({ stages: 0 });
  });

  it('finishes a reveal where timers are early and frames take long', async () => {
    const { id } = await rig.site.create();
    await rig.site.cast(id, 1);
    const page = await openGraphic();
    await act(page, 'load', { data: { url: overlay(id) }, ...REAL_TIME });
    await act(page, 'playAction', { skipAnimation: true });
    await page.evaluate(() => {
      const wait = setTimeout;
      const early = (done: () => void, ms = 0) => wait(done, ms - 5);
      const { clearRect } = CanvasRenderingContext2D.prototype;
      Object.assign(globalThis, { setTimeout: early });
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        for (const end = performance.now() + 15; performance.now() < end; );
        clearRect.apply(this, box);
      };
    });
    expect(await act(page, 'playAction', {})).toMatchObject({ statusCode: 200, currentStep: 1 });
    expect(await look(page)).toMatchObject({ figures: ['100%', '0%'] });
  });

  it('keeps hidden results that its key opens locked until the reveal', async () => {
    const { id, view_key } = await rig.site.create({ title: 'Secret', results_visibility: 'hidden' });
    await rig.site.cast(id, 0, 3);
    const page = await openGraphic();
    const data = { url: overlay('rehearsal?style=bars'), poll: `https://vote.example/${id}`, key: view_key };
    await act(page, 'load', { data, ...REAL_TIME });
    await act(page, 'playAction', {});
    expect(await look(page)).toMatchObject({ title: 'Secret', locked: true });
    await rig.site.cast(id, 1);
    await act(page, 'playAction', { delta: 1 });
    expect(await look(page)).toMatchObject({ locked: false, figures: ['75%', '25%'] });
    await act(page, 'customAction', { id: 'cover', payload: {} });
    expect(await look(page)).toMatchObject({ locked: true });
    await act(page, 'customAction', { id: 'reveal', payload: {}, skipAnimation: true });
    expect(await look(page)).toMatchObject({ locked: false, moving: false });
    await act(page, 'stopAction', { skipAnimation: true });
    await act(page, 'playAction', { skipAnimation: true });
    expect(await look(page)).toMatchObject({ locked: true, on: true });
  });

  it('reveals a closed poll place by place, ties together, by next, delta and goto, and leaves after the last', async () => {
    const answers = ['One', 'Two', 'Three', 'Four'];
    const { id, view_key } = await rig.site.create({ answers, results_visibility: 'hidden' });
    for (const [answer, times] of [5, 2, 2, 1].entries()) await rig.site.cast(id, answer, times);
    await rig.site.engine.polls.change(id, { closed: true });
    const page = await openGraphic();
    await act(page, 'load', { data: { url: overlay(id), key: view_key }, ...REAL_TIME });
    const shown = [[], ['10%'], ['20%', '20%', '10%'], ['50%', '20%', '20%', '10%']];
    for (const [call, step] of [
      [{}, 0],
      [{}, 1],
      [{ delta: 1 }, 2],
      [{}, 3],
      [{ goto: 1 }, 1],
      [{ delta: 2, skipAnimation: true }, 3],
      [{ delta: -3 }, 0],
      [{ goto: 2, skipAnimation: true }, 2],
    ] as const) {
      expect((await act(page, 'playAction', call)).currentStep).toBe(step);
      expect(await look(page)).toMatchObject({ on: true, moving: false, figures: shown[step] });
    }
    await rig.site.engine.polls.change(id, { closed: false });
    await expect.poll(async () => (await look(page)).locked).toBe(true);
    await rig.site.engine.polls.change(id, { closed: true });
    await expect.poll(async () => (await look(page)).figures).toEqual(shown[2]);
    await act(page, 'customAction', { id: 'reveal', payload: {} });
    expect(await look(page)).toMatchObject({ on: true, figures: shown[3] });
    expect((await act(page, 'playAction', {})).currentStep).toBeUndefined();
    expect(await look(page)).toMatchObject({ on: false, blank: true });
    expect((await act(page, 'playAction', { goto: 4 })).currentStep).toBeUndefined();
  });

  it('keeps public results locked on request', async () => {
    const { id } = await rig.site.create({ title: 'Open' });
    await rig.site.cast(id, 0);
    const page = await openGraphic();
    await act(page, 'load', { data: { url: overlay(id), hold: true }, ...REAL_TIME });
    await act(page, 'playAction', { skipAnimation: true });
    expect(await look(page)).toMatchObject({ locked: true });
    await act(page, 'updateAction', { data: { hold: false } });
    expect(await look(page)).toMatchObject({ locked: false, figures: ['100%', '0%'] });
  });

  it('follows a show, and starts each poll at the first step', async () => {
    const first = await rig.site.create({ title: 'First of the show' });
    const second = await rig.site.create({ title: 'Second of the show' });
    await rig.site.point('ograf-show', first.id);
    const page = await openGraphic();
    await act(page, 'load', { data: { url: overlay('rehearsal'), show: 'ograf-show' }, ...REAL_TIME });
    await act(page, 'playAction', { skipAnimation: true });
    expect((await act(page, 'playAction', { skipAnimation: true })).currentStep).toBe(1);
    await rig.site.point('ograf-show', second.id);
    await page.locator('#graphic .title', { hasText: 'Second of the show' }).waitFor({ state: 'attached' });
    expect((await act(page, 'playAction', { skipAnimation: true })).currentStep).toBe(1);
    expect(await look(page)).toMatchObject({ title: 'Second of the show', on: true });
  });

  it('replaces an overlay without a gap', async () => {
    const first = await rig.site.create({ title: 'Before' });
    const second = await rig.site.create({ title: 'After' });
    const page = await openGraphic();
    await act(page, 'load', { data: { url: overlay(first.id) }, ...REAL_TIME });
    await act(page, 'playAction', { skipAnimation: true });
    await act(page, 'updateAction', { data: { url: overlay(`${first.id}?theme=light`) } });
    expect(await look(page)).toMatchObject({ title: 'Before', on: true, blank: false, stages: 1 });
    await act(page, 'updateAction', { data: { poll: second.id } });
    expect(await look(page)).toMatchObject({ title: 'After', on: true, moving: false, stages: 1 });
    expect(await act(page, 'updateAction', { data: { url: 'nonsense' } })).toMatchObject({ statusCode: 400 });
    expect(await look(page)).toMatchObject({ title: 'After', on: true });
  });

  it('does what the last of several fast calls asked for', async () => {
    const page = await openGraphic();
    const loaded = act(page, 'load', {
      data: { url: overlay('rehearsal?rehearsal=1&moment=closed') },
      ...REAL_TIME,
    });
    await Promise.all([loaded, act(page, 'playAction', {}), act(page, 'stopAction', {})]);
    expect(await look(page)).toMatchObject({ on: false, blank: true });
    await Promise.all([
      act(page, 'playAction', {}),
      act(page, 'stopAction', {}),
      act(page, 'playAction', {}),
      act(page, 'playAction', {}),
    ]);
    expect(await look(page)).toMatchObject({ on: true, blank: false, moving: false });
  });

  it('rejects unknown data, actions and render types', async () => {
    const page = await openGraphic();
    const replies = [
      await act(page, 'load', { data: {}, ...REAL_TIME }),
      await act(page, 'load', {
        data: { url: overlay('rehearsal') },
        ...REAL_TIME,
        renderType: 'non-realtime',
      }),
      await act(page, 'customAction', { id: 'constructor', payload: {} }),
      await act(page, 'goToTime', { timestamp: 0 }),
    ];
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([400, 400, 404, 400]);
  });
});
