import { describe, expect, it } from 'vitest';
import type { Canvas2D } from '../../src/picture/draw/canvas.ts';
import { TypeSetter } from '../../src/picture/draw/type-setter.ts';

/** Every letter is one unit wide. */
const ruler = {
  font: '',
  measureText: (text: string) => ({ width: 100 * [...text.replace(/[\u00ad\u200b]/g, '')].length }),
};
const type = new TypeSetter(ruler as unknown as Canvas2D, 'any');
const SIZE = { weight: 400, largest: 1, floor: 1 };

function linesOf(text: string, width: number, most = 99): readonly string[] {
  return type.fit([text], { ...SIZE, width: () => width, lines: () => most }).lines[0]!;
}

const address = 'vote.example.org/show/friday-night';

describe.each([
  // Japanese: no line begins with a mark of length or repetition, a small kana or a closing mark,
  // or ends with an opening bracket.
  ['スローモーション', 3, ['スロー', 'モー', 'ション']],
  ['コンサートツアー', 4, ['コンサー', 'トツアー']],
  ['ちょっと待って', 2, ['ちょ', 'っと', '待っ', 'て']],
  ['人々の時々', 3, ['人々の', '時々']],
  ['夜は、朝。', 2, ['夜', 'は、', '朝。']],
  ['曲「夜」だ', 3, ['曲', '「夜」', 'だ']],
  ['本当？はい！', 3, ['本当？', 'はい！']],
  ['ザ・ビートルズ', 4, ['ザ・', 'ビート', 'ルズ']],
  ['ｺﾝｻｰﾄ', 3, ['ｺﾝ', 'ｻｰﾄ']],
  ['（笑）です', 3, ['（笑）', 'です']],
  ['AKB48の歌', 5, ['AKB48', 'の歌']],
  ['100％です', 4, ['100％', 'です']],
  ['番組の最後を飾る曲はどれですか', 7, ['番組の最後を', '飾る曲は', 'どれですか']],
  ['最後の決定は未定', 7, ['最後の', '決定は未定']],
  // Chinese.
  ['你喜欢吗？喜欢。', 4, ['你喜欢', '吗？喜', '欢。']],
  ['他说“好”。', 4, ['他说', '“好”。']],
  ['《红楼梦》好', 5, ['《红楼', '梦》好']],
  ['等等……再说', 4, ['等等……', '再说']],
  // Korean breaks at spaces only.
  ['오늘 밤의 마지막 노래', 5, ['오늘 밤의', '마지막', '노래']],
  ['대한민국 서울특별시', 8, ['대한민국', '서울특별시']],
  ['BTS의 노래', 6, ['BTS의', '노래']],
  // Thai breaks at words, and repeats no word on another line.
  ['เครื่องบินกระดาษ', 13, ['เครื่อง', 'บินกระดาษ']],
  ['ช้าช้าๆ', 6, ['ช้า', 'ช้าๆ']],
  // Arabic and Hebrew.
  ['ما رأيكم ؟', 7, ['ما', 'رأيكم ؟']],
  ['איזה שיר?', 5, ['איזה', 'שיר?']],
  // European.
  ['Ja oder nein !', 9, ['Ja oder', 'nein !']],
  ['Was ( vielleicht ) kommt', 14, ['Was', '( vielleicht )', 'kommt']],
  ['Er sagt »ja« laut', 8, ['Er sagt', '»ja«', 'laut']],
  ['Er sagt „ja“ laut', 8, ['Er sagt', '„ja“', 'laut']],
  ['Nord-Süd-Gefälle', 9, ['Nord-Süd-', 'Gefälle']],
  ['Die E-Mail kommt', 6, ['Die', 'E-Mail', 'kommt']],
  ['Das U.S.A. Team', 10, ['Das U.S.A.', 'Team']],
  ['Ja/Nein oder 24/7', 12, ['Ja/Nein', 'oder 24/7']],
  ['um 20:15-21:00 Uhr', 11, ['um', '20:15-21:00', 'Uhr']],
  ['eins\u00A0zwei drei', 9, ['eins\u00A0zwei', 'drei']],
  // Addresses break after a slash or a hyphen and before a dot, and a number stays whole.
  [address, 20, ['vote.example.org/', 'show/friday-night']],
  [address, 13, ['vote.example', '.org/show/', 'friday-night']],
  ['127.0.0.1:18201/FjDjKOx2', 16, ['127.0.0.1:18201/', 'FjDjKOx2']],
  ['127.0.0.1:18201/FjDjKOx2', 13, ['127.0.0.1', ':18201/', 'FjDjKOx2']],
  ['localhost:8080/show/gala', 18, ['localhost:8080/', 'show/gala']],
  ['Auf https://a-b.org/x-y jetzt', 14, ['Auf https://a-', 'b.org/x-y', 'jetzt']],
  ['poll.example.org/2026-11-28', 21, ['poll.example.org/', '2026-11-28']],
] as const)('%s in lines of %i', (text, width, lines) => {
  it('breaks by the rules of its script', () => {
    expect(linesOf(text, width)).toEqual(lines);
  });
});

it('hyphenates a word that exceeds a line, and no other', () => {
  const text = 'Geschwindigkeit im Nahrungsmittelunverträglichkeitstest';
  expect(linesOf(text, 18)).toEqual(['Geschwindigkeit im', 'Nahrungsmittelun-', 'verträglichkeits-', 'test']);
});

it('leaves no letter alone on a line where a smaller size can do without', () => {
  const room = { weight: 400, largest: 1, floor: 0.8, width: () => 6.6, lines: () => 2 };
  expect(type.fit(['Runde B'], { ...room, floor: 0.75 })).toMatchObject({
    lines: [['Runde B']],
    isBroken: false,
  });
  expect(type.fit(['Runde B'], { ...room, floor: 0.99 })).toMatchObject({
    lines: [['Runde', 'B']],
    isWhole: true,
  });
});

it('leaves the first line room for what is beside it', () => {
  const room = { weight: 400, largest: 1, floor: 1, width: 12, lines: () => 9 };
  const text = 'eins zwei drei vier fünf';
  expect(type.fitOne(text, room).lines).toEqual(['eins zwei', 'drei vier', 'fünf']);
  expect(type.fitOne(text, { ...room, beside: { width: 7, height: 1 } }).lines[0]).toBe('eins');
});

it('puts no hyphen into an address', () => {
  const path = 'poll.example.org/donaudampfschifffahrt/kapitänsprüfung';
  for (let width = 6; width < 30; width++) expect(linesOf(path, width).join(''), `${width}`).toBe(path);
});

it('loses no letter, and begins no line with a closing mark, at any width', () => {
  const CLOSED = /^[ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ、。）」！？]/;
  const text = '「ちょっと、スローモーション（人々のツアー）」を、もう一度どうぞ！ええっ？はい。';
  for (let width = 5; width < text.length; width++) {
    const lines = linesOf(text, width);
    expect(lines.join('')).toBe(text);
    for (const line of lines)
      expect([width, line, CLOSED.test(line), /[「（]$/.test(line)]).toEqual([width, line, false, false]);
  }
});
