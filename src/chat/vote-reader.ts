import { chatLabels } from '../poll/chat-link.ts';
import type { AnswerId, Poll } from '../poll/poll.ts';

/** What a message votes for. Pure. */

/** Longer messages are no votes. Twitch has 500, YouTube 200. */
const MAX_CHARACTERS = 500;
const ASCII = /^[\x20-\x7e]*$/;

/** `2️⃣`, and with it letters in a box or a circle, which have no other decomposition. */
const KEYCAP = /([0-9#*])\uFE0F?\u20E3/g;
const TEN = /\u{1F51F}/gu;
const BOXED_LETTER = /[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}]\uFE0F?/gu;
/** A flag of Node.js that the compiler's target lacks. */
const SETS = 'gv';
const EMOJI = new RegExp(
  String.raw`\p{RGI_Emoji}[\uFE0E\uFE0F]?|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{RI}`,
  SETS,
);
const EMOJI_MODIFIERS = /[\uFE0E\uFE0F\p{Emoji_Modifier}]/gu;
/** Chat clients add such characters to send the same text again. */
const UNSEEN =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Noncharacter_Code_Point}\p{Cc}\u{E0000}-\u{E0FFF}]/gu;
const INKLESS = /[\u115F\u1160\u3164\uFFA0\u2800]/gu;
const DIGIT = /\p{Nd}/gu;
/** Marks on Latin, Greek and Cyrillic letters, points of Hebrew and Arabic. Marks of other scripts make other words. */
const ACCENTS = /[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u064B-\u065F\u0670]/g;

const COMMAND = /^!vote\b\s*|^!vote(?=\d)/i;
const BLANKS = /\s+/;
/** What people type around a number. A sign or a question is more than that. */
const AROUND = /^[!#([{*"'“”„«‹‘’¡]+|[.!…)\]}*"'“”»›‘’]+$/g;
const SEPARATORS = /\s*[,\u060C\u3001;+&/]\s*|\s+/;
const SIGN = /^[+&/;,]/;
/** Between two answers, where several are allowed. */
const AND = new Set('and und et y e i en och og і та и ve و और と 와 과 和'.split(' '));
const LISTED = new RegExp(`\\s*[,\\u060C\\u3001;+&]\\s*|\\s+(?:${[...AND].join('|')})\\s+`, 'i');
/** Keyboards in other scripts have letters that look like those on air. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [...'АВСЕНІКМОРТХЅЈУΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'].map((letter, index) => [
    letter,
    'ABCEHIKMOPTXSJYABEZHIKMNOPTYX'[index]!,
  ]),
);

interface SeenMessage {
  /** Without emoji and invisible characters, with plain digits and single blanks. */
  readonly text: string;
  /** The emoji in order. */
  readonly emoji: readonly string[];
}

/**
 * Returns a function that reads the answers of a message that is only a vote; undefined for any
 * other. Compares with each answer by its number or letter and, without `chatWords`, by its words
 * or emoji. A number is always a place, also if another answer has it as its text.
 *
 * @param whole of the function: the message with the platform's own emotes by their names, if it has some
 */
export function voteReader(poll: Poll): (text: string, whole?: string) => readonly AnswerId[] | undefined {
  const { allowMultiple, chatWords } = poll.settings;
  const byLabel = new Map(chatLabels(poll).map((label, index) => [label, poll.answers[index]!.id]));
  const { exact, words, emoji } = chatWords ? NO_WORDS : namesOf(poll);

  return (message, whole) => {
    if (message.length > MAX_CHARACTERS || (whole?.length ?? 0) > MAX_CHARACTERS) return undefined;
    const idOfWhole = () => whole && idOf(see(whole, false).text);
    const seen = see(message, chatWords);
    if (seen.text === '') return choiceOf(idsOfEmoji(seen.emoji)) ?? choiceOf([idOfWhole() || undefined]);
    const rest = seen.text.replace(COMMAND, '');
    const ids = idsOfLabels(rest);
    if (ids.length > 0 && !ids.includes(undefined)) return choiceOf(ids);
    const id = idOf(rest) ?? idOfWhole();
    if (id !== undefined || !allowMultiple) return choiceOf([id]);
    const listed = rest.split(LISTED).map(idOf);
    return listed.includes(undefined) ? undefined : choiceOf(listed);
  };

  function choiceOf(ids: readonly (AnswerId | undefined)[]): readonly AnswerId[] | undefined {
    const chosen = [...new Set(ids)].filter(id => id !== undefined);
    return chosen.length === 0 || (chosen.length > 1 && !allowMultiple) ? undefined : chosen;
  }

  function idsOfLabels(text: string): (AnswerId | undefined)[] {
    if (SIGN.test(text)) return [];
    const labels = text.split(allowMultiple ? SEPARATORS : BLANKS).filter(Boolean);
    const isBetween = (at: number) => at > 0 && at < labels.length - 1;
    return labels
      .filter(
        (label, at) => !(allowMultiple && isBetween(at) && AND.has(label) && !byLabel.has(labelOf(label))),
      )
      .map(label => byLabel.get(labelOf(label)));
  }

  function labelOf(token: string): string {
    const label = token.replace(AROUND, '').toUpperCase();
    return chatWords ? (LOOKALIKES[label] ?? label) : label;
  }

  /** Finds an answer by its words, said once or again and again. */
  function idOf(said: string): AnswerId | undefined {
    const known = exact.get(said.trim());
    if (known !== undefined) return known;
    const folded = fold(said);
    return words.get(folded) ?? words.get(onceOf(folded));
  }

  function idsOfEmoji(said: readonly string[]): (AnswerId | undefined)[] {
    const id = emoji.get(said.join('')) ?? emoji.get(onceOf(said.join(' ')).replaceAll(' ', ''));
    return id === undefined ? said.filter(one => emoji.has(one)).map(one => emoji.get(one)) : [id];
  }
}

interface Names {
  /** By the words as they are written. */
  readonly exact: ReadonlyMap<string, AnswerId>;
  /** By folded words. */
  readonly words: ReadonlyMap<string, AnswerId>;
  readonly emoji: ReadonlyMap<string, AnswerId>;
}

const NO_WORDS: Names = { exact: new Map(), words: new Map(), emoji: new Map() };

/** Names that two answers share find neither. A similar name counts only where no answer has that name. */
function namesOf({ answers }: Poll): Names {
  const seen = answers.map(({ id, text }) => ({ id, ...see(text, false) }));
  const named = (nameOf: (of: SeenMessage) => string) =>
    onlyOnce(seen.map(answer => [nameOf(answer), answer.id] as const));
  const near = (nameOf: (of: SeenMessage) => string) =>
    seen.map(answer => [fold(nameOf(answer)), answer.id] as const);
  const folded = near(({ text }) => text);
  const taken = new Set(folded.map(([name]) => name));
  const others = [
    ...near(({ text }) => text.replace(/[?？؟]+$/, '')),
    ...near(({ text }) => text.normalize('NFC').replace(SPELLED, letter => SPELLINGS[letter.toLowerCase()]!)),
  ].filter(([name]) => !taken.has(name));
  return {
    exact: named(({ text }) => text),
    words: new Map([...onlyOnce(others), ...onlyOnce(folded)]),
    emoji: named(({ text, emoji }) => (text === '' ? emoji.join('') : '')),
  };
}

function onlyOnce(names: readonly (readonly [name: string, id: AnswerId])[]): Map<string, AnswerId> {
  const ids = new Map<string, AnswerId | undefined>();
  for (const [name, id] of names) ids.set(name, ids.has(name) && ids.get(name) !== id ? undefined : id);
  ids.delete('');
  return new Map([...ids].filter((entry): entry is [string, AnswerId] => entry[1] !== undefined));
}

/** Returns the shortest text that is said again and again; the whole one if it is said once. */
function onceOf(text: string): string {
  const parts = text.split(' ');
  for (let size = 1; size <= parts.length / 2; size += 1)
    if (parts.length % size === 0 && parts.every((part, at) => part === parts[at % size]))
      return parts.slice(0, size).join(' ');
  return text;
}

function see(message: string, hasLetters: boolean): SeenMessage {
  if (ASCII.test(message)) return { text: message.replace(/ +/g, ' ').trim(), emoji: [] };
  const emoji: string[] = [];
  const text = (hasLetters ? message.replace(BOXED_LETTER, plainLetter) : message)
    .replace(KEYCAP, '$1')
    .replace(TEN, '10')
    .replace(EMOJI, found => {
      emoji.push(found.replace(EMOJI_MODIFIERS, ''));
      return ' ';
    })
    .replace(INKLESS, ' ')
    .replace(UNSEEN, '')
    .normalize('NFKC')
    .replace(DIGIT, plainDigit)
    .replace(/\s+/g, ' ')
    .trim();
  return { text, emoji };
}

function plainLetter(boxed: string): string {
  const code = boxed.codePointAt(0)!;
  return String.fromCharCode(65 + code - (code < 0x1f170 ? 0x1f150 : 0x1f170));
}

/** The digits of a script are ten code points from zero on. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return `${value}`;
}

const QUOTES = /['"’‘‛‚`´ʼ′“”„«»‹›]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
/** Within words, a dash is a blank. Before a number it is a sign. */
const HYPHEN = /(?<=[\p{L}\p{N}])\s*-+\s*(?=\p{L})/gu;
const AROUND_WORDS = /^[\s!#([{*¡~_:]+|[\s.!…。)\]}*~_:]+$/g;
/** Letters that have no mark to take off. */
const PLAIN: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ى: 'ي',
  ة: 'ه',
  ـ: '',
};
const MARKED = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g');
/** How some people write letters that their keyboard lacks. */
const SPELLINGS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };
const SPELLED = new RegExp(`[${Object.keys(SPELLINGS).join('')}]`, 'gi');

/** Returns a text as it is compared: without case, marks, quotes, and signs around it. */
function fold(text: string): string {
  const plain = ASCII.test(text) ? text.toLowerCase() : withoutMarks(text);
  const words = plain.replace(QUOTES, '').replace(DASHES, '-').replace(HYPHEN, ' ').replace(AROUND_WORDS, '');
  return words.replace(/\s+/g, ' ').trim();
}

/** Upper case first, because `ß` is `ss` and `ı` is `i` there. */
function withoutMarks(text: string): string {
  const cased = text.normalize('NFKD').toUpperCase().toLowerCase();
  const plain = cased.normalize('NFKD').replace(ACCENTS, '').normalize('NFC');
  return plain.replace(MARKED, letter => PLAIN[letter]!);
}
