import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pollText } from '../../src/poll/input-rules.ts';
import { visibleText } from '../../src/poll/visible-text.ts';
import { anyText } from '../support/any-text.ts';

const title = pollText({ min: 1, max: 5 });
const prose = pollText({ min: 0, max: 5, prose: true });
const fault = (schema: typeof title, text: unknown) => schema.safeParse(text).error?.issues[0]?.message;

describe('text of a poll', () => {
  it('is trimmed and normalized before it is measured', () => {
    expect(title.parse('\n  e\u0301\u00a0 ')).toBe('é');
    expect(title.parse('a\u0308'.repeat(5))).toBe('ä'.repeat(5));
    expect(fault(title, '123456')).toMatch(/at most 5/);
  });

  it('is measured in characters, not in UTF-16 units', () => {
    expect(fault(title, '😀'.repeat(5))).toBeUndefined();
    expect(fault(title, '😀'.repeat(6))).toMatch(/at most 5/);
  });

  it('is not empty where something must be seen', () => {
    const blanks = ['', ' ', '\u200b', '\u2060\u180e', '\u2800', '\u3164', '\u115f', '\u{e0041}'];
    for (const text of [...blanks, '\u0301', ' \u20dd', '\ufffe', '\ufdd0', '\u{1ffff}', '\ufff9']) {
      expect([text, fault(title, text)]).toEqual([text, expect.stringMatching(/empty/)]);
      expect(prose.parse(text)).toBe('');
    }
  });

  it.each([
    ['Vietnamese', 'Tiếng Việt: Nguyễn'.normalize('NFD')],
    ['Thai', 'น้ำพริกกะปิ ที่นี่ ปั๊ม'],
    ['Hebrew with points and accents', 'בְּרֵאשִׁ֖ית שָּׁ֔מַיִם'],
    ['Hindi', 'क्ष्म्य राष्ट्रीय ज़िंदगी'],
    ['Arabic with marks', 'ٱللَّٰهُ مُحَمَّدٌ'],
    ['Burmese', 'လျှော့ ရွှံ့ ညှို့'],
    ['Tibetan', 'བསྒྲུབས རྒྱུད'],
    ['emoji', '👩🏽‍🚀 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 1️⃣ #️⃣ ❤️ 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
  ])('may be %s', (_, text) => {
    expect(fault(pollText({ min: 1, max: 200 }), text)).toBeUndefined();
  });

  it('has at most four marks on a letter, however they are parted', () => {
    for (const between of ['', '\u200d', '\u034f', '\ufe0f', '\ufffe']) {
      const zalgo = (marks: number) => `Z${`\u0315${between}`.repeat(marks)}`;
      const texts = pollText({ min: 0, max: 200, prose: true });
      expect(fault(texts, zalgo(4))).toBeUndefined();
      expect(fault(texts, zalgo(5))).toMatch(/marks on a letter/);
    }
  });

  it('holds no control characters, though prose may have lines', () => {
    for (let code = 0; code < 0xa0; code += 1) {
      const control = String.fromCharCode(code);
      if (!/\p{Cc}/u.test(control)) continue;
      expect(fault(title, `a${control}b`)).toMatch(/control/);
      expect([code, fault(prose, `a${control}b`)]).toEqual([
        code,
        ['\n', '\r', '\t'].includes(control) ? undefined : expect.stringMatching(/control/),
      ]);
    }
  });

  it('has LF for every end of a line where it is prose', () => {
    expect(pollText({ min: 0, max: 20, prose: true }).parse('a\r\nb\rc\nd\r\r\n')).toBe('a\nb\nc\nd');
    expect(prose.parse('a\r\nb\r\nc')).toBe('a\nb\nc');
  });

  it('holds nothing that turns the direction of what follows, unless it is prose', () => {
    for (const code of [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])
      expect(fault(title, `a${String.fromCodePoint(code)}`)).toMatch(/bidirectional/);
    for (const mark of ['\u200e', '\u200f', '\u061c']) expect(fault(title, `א${mark}!`)).toBeUndefined();
    expect(fault(prose, 'a\u202e')).toBeUndefined();
  });

  it('holds no half characters', () => {
    for (const text of ['\ud800', 'a\udc00', '\udc00\ud800']) expect(fault(title, text)).toMatch(/surrogate/);
  });

  it('is a string, or is refused without a throw', () => {
    fc.assert(
      fc.property(fc.anything(), value => {
        const parsed = title.safeParse(value);
        expect(parsed.success && typeof parsed.data !== 'string').toBe(false);
      }),
    );
  });

  it('comes out the same when it goes in again', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 8 }), text => {
        const once = prose.safeParse(text);
        if (once.success) expect(prose.parse(once.data)).toBe(once.data);
      }),
    );
  });
});

describe('visible text', () => {
  it.each([
    ['Café', 'Cafe\u0301'],
    ['New York', ' New\u00a0\u2003York '],
    ['Yes', 'Y\u200bes\u2060'],
    ['♥', '♥\ufe0f'],
    ['Yes', '\u0301 Yes\u2800\ufffe\u3164'],
    ['New York', 'New\u2800York'],
  ])('%j and %j cannot be told apart', (one, other) => {
    expect(visibleText(one)).toBe(visibleText(other));
  });

  it.each([
    ['Yes', 'yes'],
    ['a', 'а'],
    ['1', '１'],
    ['New York', 'NewYork'],
    ['क', 'का'],
    ['🏴\u{e0067}\u{e0062}\u{e007f}', '🏴\u{e0067}\u{e0073}\u{e007f}'],
  ])('%j and %j can', (one, other) => {
    expect(visibleText(one)).not.toBe(visibleText(other));
  });
});
