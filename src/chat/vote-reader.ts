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
/** Of Latin, Greek and Cyrillic letters, points of Hebrew and Arabic. Marks of other scripts make other words. */
const ACCENTS = /[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u064B-\u065F\u0670]/g;

const COMMAND = /^!vote\b\s*|^!vote(?=\d)/i;
const BLANKS = /\s+/;
/** What people type around a number. A sign or a question is more than that. */
const AROUND = /^[!#([{*"'“”„«‹‘’¡]+|[.!…)\]}*"'“”»›‘’]+$/g;
const SEPARATORS = /\s*[,\u060C\u3001;+&/]\s*|\s+/;
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
  /** Of the emoji, in order. */
  readonly emoji: readonly string[];
}

/**
 * Returns a function that reads the answers of a message that is only a vote; undefined for any other. Compares with each answer by
 * its number or letter and, without `chatWords`, by its words. A number is always a place, also if
 * another answer has it as its text.
 */
export function voteReader(poll: Poll): (text: string) => readonly AnswerId[] | undefined {
  const { allowMultiple, chatWords } = poll.settings;
  const byLabel = new Map(chatLabels(poll).map((label, index) => [label, poll.answers[index]!.id]));
  const [byWords, byEmoji] = chatWords ? [new Map<string, AnswerId>(), new Map()] : wordsOf(poll);
  const longest = Math.max(0, ...[...byWords.keys()].map(words => words.length));

  return message => {
    if (message.length > MAX_CHARACTERS) return undefined;
    const { text, emoji } = see(message, chatWords);
    if (text === '') return choiceOf(emoji.filter(one => byEmoji.has(one)).map(one => byEmoji.get(one)));
    const rest = text.replace(COMMAND, '');
    const labels = rest.split(allowMultiple ? SEPARATORS : BLANKS).filter(Boolean);
    const ids = labels.map(label => byLabel.get(labelOf(label)));
    if (ids.length > 0 && !ids.includes(undefined)) return choiceOf(ids);
    // Folding case and accents changes a length little.
    if (rest.length > 2 * longest + 8) return undefined;
    return choiceOf([byWords.get(fold(rest))]);
  };

  function choiceOf(ids: readonly (AnswerId | undefined)[]): readonly AnswerId[] | undefined {
    const chosen = [...new Set(ids)].filter(id => id !== undefined);
    return chosen.length === 0 || (chosen.length > 1 && !allowMultiple) ? undefined : chosen;
  }

  function labelOf(token: string): string {
    const label = token.replace(AROUND, '').toUpperCase();
    return chatWords ? (LOOKALIKES[label] ?? label) : label;
  }
}

/** The answers by their words, and those that are only emoji. Two that read alike are in neither. */
function wordsOf({ answers }: Poll): [Map<string, AnswerId>, Map<string, AnswerId>] {
  const [words, emoji] = [new Map<string, AnswerId | undefined>(), new Map<string, AnswerId | undefined>()];
  for (const { id, text } of answers) {
    const seen = see(text, false);
    const [map, key] = seen.text === '' ? [emoji, seen.emoji.join('')] : [words, fold(seen.text)];
    map.set(key, map.has(key) ? undefined : id);
  }
  return [onlyKnown(words), onlyKnown(emoji)];
}

function onlyKnown(map: ReadonlyMap<string, AnswerId | undefined>): Map<string, AnswerId> {
  return new Map([...map].filter((entry): entry is [string, AnswerId] => entry[1] !== undefined));
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

/** Upper case first, because `ß` is `ss` and `ı` is `i` there. */
function fold(text: string): string {
  const cased = text.normalize('NFKD').toUpperCase().toLowerCase();
  return cased.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').replace(/\s+/g, ' ').trim();
}
