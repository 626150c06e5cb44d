import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../src/overlay/browser/drawing/stage.ts';
import { drawingStyles } from '../../src/overlay/look/styles.ts';
import {
  hasEffect,
  type ParameterName,
  parameters,
  readParameters,
} from '../../src/overlay/parameter/parameters.ts';
import { Rehearsal } from '../../src/overlay/picture/rehearsal.ts';
import { seededRandom } from '../../src/poll/rehearsal.ts';
import { browserRig } from './browser-rig.ts';
import { drawScene, StagePages } from './stage-page.ts';

/** The builder offers exactly the parameters that change the picture. */

const rig = browserRig(StagePages.bundle);
/** Visible only over time, behind the page or in a show, or chosen beside the preview. */
const NOT_IN_ONE_PICTURE: readonly ParameterName[] = [
  ...(['speed', 'reveal', 'reveal_pause', 'turn', 'hide', 'hz', 'blur'] as const),
  ...(['style', 'rehearsal', 'moment', 'cast', 'logo'] as const),
];
/** A value that differs from the default; for other parameters a colour. */
const PROBES: Readonly<Partial<Record<ParameterName, string>>> = {
  ...{ theme: 'flat', answer: '2', values: 'count', sort: 'order', top: '2', decimals: '2', qr: 'right' },
  ...{
    title: '0',
    total: '0',
    voided: '1',
    countdown: '0',
    away: '1',
    winner: '0',
    lang: 'ar',
    align: 'right',
    valign: 'top',
  },
  ...{ size: '60', width: '50', margin: '12', colors: 'ff0000,00ff00', patterns: '1' },
  ...{ font: 'DejaVu Serif', strokewidth: '6', radius: '60', bar: '0', padding: '70' },
};
const NOW_MS = Date.UTC(2026, 5, 1, 20);
/** With this seed the poll's first answer does not lead. */
const SEED = 7;
const SCENES = ['', 'moment=away', 'moment=closed', 'cast=two&moment=closed', 'moment=hidden'].map(sceneOf);

function sceneOf(query: string): Scene {
  const { settings } = readParameters(new URLSearchParams(query));
  return {
    poll: new Rehearsal(settings, NOW_MS, seededRandom(SEED)).read(NOW_MS),
    away: settings.moment === 'away',
  };
}

/** Draws each picture once. */
async function draw(page: Page, query: string, scene: Scene, known: Map<string, string>): Promise<string> {
  const name = `${query} ${SCENES.indexOf(scene)}`;
  const picture = known.get(name) ?? (await shoot(page, query, scene));
  known.set(name, picture);
  return picture;
}

/** On a new stage, because a browser draws a trace differently what it draws again. */
async function shoot(page: Page, query: string, scene: Scene): Promise<string> {
  await drawScene(page, `speed=0&scene=${SCENES.indexOf(scene)}&${query}`, scene.poll, scene.away);
  return (await page.screenshot()).toString('base64');
}

async function differs(page: Page, before: string, after: string, known: Map<string, string>) {
  for (const scene of SCENES)
    if ((await draw(page, before, scene, known)) !== (await draw(page, after, scene, known))) return true;
  return false;
}

describe.each(drawingStyles)('in the style %s', style => {
  it('exactly the parameters that hasEffect allows change the picture', async () => {
    const page = await rig.site.open(960, 540);
    await page.clock.setFixedTime(NOW_MS);
    const wrong: string[] = [];
    const known = new Map<string, string>();
    for (const name of Object.keys(parameters) as ParameterName[]) {
      if (NOT_IN_ONE_PICTURE.includes(name)) continue;
      const before = `style=${style}${name === 'stroke' ? '&strokewidth=3' : ''}`;
      const value =
        name === 'scale' ? (style === 'columns' ? 'total' : 'leader') : (PROBES[name] ?? 'ff00ff');
      const offered = hasEffect(name, readParameters(new URLSearchParams(before)).settings);
      if ((await differs(page, before, `${before}&${name}=${value}`, known)) !== offered)
        wrong.push(
          `${name} ${offered ? 'is offered and does nothing' : 'does something and is not offered'}`,
        );
    }
    expect(wrong).toEqual([]);
  });
});
