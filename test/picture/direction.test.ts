import { createCanvas } from '@napi-rs/canvas';
import { expect, it } from 'vitest';
import type { Canvas2D } from '../../src/picture/draw/canvas.ts';
import { layOut } from '../../src/picture/draw/lay-out.ts';
import { paint } from '../../src/picture/draw/paint.ts';
import type { PollSnapshot } from '../../src/picture/picture.ts';
import { OverlayWording } from '../../src/picture/wording.ts';
import { formatJoinCode } from '../../src/poll/join-code.ts';
import { knownResults } from '../overlay/poll-snapshots.ts';
import { atRest, CODE, HD, lookOf, NOW_MS, type } from './drawn.ts';

/** What is written on a picture, and in which direction. */
function written(poll: PollSnapshot, query: string, around = {}, address = CODE.address, joinCode?: string) {
  const code = { ...CODE, address, joinCode };
  const laid = layOut(poll, lookOf(query, HD, { code, around: { away: false, ...around } }), NOW_MS);
  const context = createCanvas(1, 1).getContext('2d');
  const texts = new Map<string, string>();
  context.fillText = text => texts.set(text, context.direction);
  paint(context as unknown as Canvas2D, atRest(laid), { ...laid, type });
  return texts;
}

function pollOf(title: string, ...answers: string[]): PollSnapshot {
  const poll = knownResults(answers.map((_, at) => 9 - at));
  const named = poll.poll_answers.map((one, at) => ({ ...one, answer: answers[at]! }));
  return { ...poll, title, poll_answers: named };
}

it.each([
  ['ar', 'ما هي الأغنية المفضلة لديكم من فرقة Midnight Train Orchestra التي عزفت الليلة على المسرح'],
  ['he', 'איזה שיר של הלהקה Midnight Train Orchestra צריך לסגור את המופע שלנו הערב בתל אביב'],
])('writes every line of a question in the direction of the question: %s', (lang, title) => {
  let latin = 0;
  for (let width = 25; width <= 80; width += 1) {
    const texts = written(pollOf(title, 'א'), `lang=${lang}&width=${width}`);
    const lines = [...texts].filter(([text]) => title.includes(text) && text !== 'א');
    for (const [line, direction] of lines) expect([line, direction]).toEqual([line, 'rtl']);
    latin += lines.filter(([line]) => /^[A-Z]/.test(line)).length;
  }
  expect(latin).toBeGreaterThan(0);
});

it('writes what is no language from left to right', () => {
  const address = 'http://127.0.0.1:18201/FjDjKOx2';
  const poll = pollOf('من يفوز؟', '-5 °', '3:1', '100+', 'Midnight Train');
  const isLtr = (texts: Map<string, string>, ...expected: string[]) =>
    expect(expected.map(text => [text, texts.get(text)])).toEqual(expected.map(text => [text, 'ltr']));
  isLtr(
    written(poll, 'lang=ar&qr=right', {}, address),
    '127.0.0.1:18201/',
    '-5 °',
    '3:1',
    '100+',
    'Midnight Train',
  );
  isLtr(
    written(poll, 'lang=ar&qr=right', {}, address, '123456'),
    '127.0.0.1:18201',
    formatJoinCode('123456'),
  );
  isLtr(
    written(poll, 'lang=ar&style=host', { joinWords: '127.0.0.1:80 · 123 456' }),
    '127.0.0.1:80 · 123 456',
  );
});

it('takes the direction of an answer from the answer, not from its key', () => {
  const poll = pollOf('من يفوز؟', 'إضاءة الشمال', 'Midnight Train');
  const texts = [...written(poll, 'lang=ar', { chatLabels: ['A', 'B'] })];
  expect(texts.find(([text]) => text.endsWith('إضاءة الشمال'))?.[1]).toBe('rtl');
  expect(texts.find(([text]) => text.endsWith('Midnight Train'))?.[1]).toBe('ltr');
});

it('isolates names and ranges within a sentence', () => {
  const wording = new OverlayWording('ar', 0);
  expect(wording.list(['Paper Planes', 'شمال'])).toBe('\u2068Paper Planes\u2069 و\u2068شمال\u2069');
  expect(wording.inChat(['1', '2', '3', '4', '5'])).toContain('\u20661–5\u2069');
  expect(new OverlayWording('en', 0).inChat(['1', '2', '3', '4', '5'])).toBe('Type 1–5 in chat');
});
