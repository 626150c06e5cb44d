import { type Drawn, Film, type Motion, STILL, times } from '../../src/picture/draw/film.ts';
import { type Laid, layOut } from '../../src/picture/draw/lay-out.ts';
import type { Look } from '../../src/picture/draw/look.ts';
import type { Part } from '../../src/picture/draw/part.ts';
import { entranceDelays, revealMotion } from '../../src/picture/draw/timing.ts';
import { levelled, type PollSnapshot } from '../../src/picture/picture.ts';
import { drawingStyles, styleTraits } from '../../src/picture/styles.ts';
import { revealedAnswers } from '../../src/poll/reveal-steps.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import {
  type Box,
  boxOf,
  edgesOf,
  isWithin,
  lettersOf,
  lookOf,
  NOW_MS,
  type Size,
  SLACK,
  safeAreaOf,
  screenOf,
  wordsIn,
} from './drawn.ts';

/** Film strips of an overlay with a held clock, and what must not be seen in any of their frames. */

export const FRAME_MS = 40;
/** What is on air moves; a code alone has no question. */
export const movingStyles = drawingStyles.filter(style => style !== 'code' && !styleTraits[style].isOffAir);
const PAUSE_MS = 1_200;
/** Less cannot be read. */
const SEEN = 0.1;

export interface Frame {
  readonly ms: number;
  readonly drawn: readonly Drawn[];
  readonly laid: Laid;
  /** What is at rest before and after. */
  readonly rest: readonly Drawn[];
}

type Kind = Exclude<Motion['kind'], 'still'>;

/** A picture, and how it replaces the one before. */
export interface Shot {
  readonly poll: PollSnapshot | undefined;
  readonly kind: Kind;
  readonly look?: Partial<Look>;
}

/** The frames from one picture at rest to the next; of a reveal as the stage shows it, with a level moment. */
export function strip(first: Omit<Shot, 'kind'>, next: Shot, query: string, size: Size): Frame[] {
  const lookAt = (look: Partial<Look> = {}) => lookOf(query, size, look);
  const film = new Film();
  const before = first.poll && layOut(first.poll, { ...lookAt(first.look), winnerFills: true }, NOW_MS);
  film.show(before?.parts ?? [], 0, STILL);
  const start = film.at(0);
  const shots: { laid: Laid | undefined; motion: Motion; holdMs: number }[] = [];
  const laidWith = (winnerFills: boolean) =>
    next.poll && layOut(next.poll, { ...lookAt(next.look), winnerFills }, NOW_MS);
  const laid = laidWith(next.kind === 'enter');
  if (next.kind === 'reveal' && next.poll) {
    const level = levelled(next.poll, first.poll?.revealed_from);
    const levelLaid = level && layOut(level, lookAt(next.look), NOW_MS);
    shots.push({
      laid: levelLaid ?? laid,
      ...revealMotion(before?.picture, (levelLaid ?? laid)!.picture, 1, PAUSE_MS),
    });
    if (level) shots.push({ laid, motion: { kind: 'change', speed: 1 }, holdMs: 0 });
  } else {
    const delays = entranceDelays(next.kind === 'enter' ? (laid?.picture?.rows ?? []) : [], 1);
    const motion = { kind: next.kind, speed: 1, delayMs: (row: string) => delays.get(row) ?? 0 };
    shots.push({ laid, motion, holdMs: 0 });
  }
  const frames: Omit<Frame, 'rest'>[] = [];
  let startMs = 0;
  for (const { laid: shown, motion, holdMs } of shots) {
    film.show(shown?.parts ?? [], startMs, motion);
    const won = shown === laid && next.kind !== 'enter' ? laidWith(true) : undefined;
    const play = (untilMs: number, picture: Laid) => {
      for (let ms = startMs; ms < untilMs; ms += FRAME_MS)
        frames.push({ ms, drawn: film.at(ms), laid: picture });
      startMs = untilMs;
    };
    if (won?.isWinner) {
      play(film.markedMs, shown!);
      film.show(won.parts, startMs, { kind: 'change', speed: 1, ms: times.grow });
    }
    const picture = won ?? shown ?? before!;
    play(shown === laid ? film.endMs + FRAME_MS : startMs + holdMs, picture);
  }
  const rest = [...(next.kind === 'enter' ? start : []), ...film.at(startMs + 10_000)];
  return frames.map(frame => ({ ...frame, rest }));
}

/** What a text or a state covers, as far as it can be seen. */
interface Reading {
  readonly words: string;
  readonly boxes: readonly Box[];
  /** From back to front. */
  readonly at: number;
}

function cut(one: Box, other: Box): Box | undefined {
  const [left, right] = [Math.max(one.left, other.left), Math.min(one.right, other.right)];
  const [top, bottom] = [Math.max(one.top, other.top), Math.min(one.bottom, other.bottom)];
  return right - left > SLACK && bottom - top > SLACK ? { left, right, top, bottom } : undefined;
}

function readingsIn(drawn: readonly Drawn[]): Reading[] {
  return drawn.flatMap((one, at): Reading[] => {
    const { part, at: place, clip } = one;
    const { shape } = part;
    if (place.alpha <= SEEN) return [];
    const placed = { ...part, at: place };
    const isPill = shape.kind === 'pill';
    const boxes = isPill ? [boxOf(placed)] : lettersOf(placed, part.isRtl === true);
    const seen = boxes.flatMap(box => (clip ? (cut(box, edgesOf(clip)) ?? []) : box));
    const words = wordsIn(one);
    return words.trim() === '' || seen.length === 0
      ? []
      : [{ words: `${part.key}: ${words}`, boxes: seen, at }];
  });
}

/** Opaque boxes hide what is behind them. */
function coversIn(drawn: readonly Drawn[]) {
  return drawn.flatMap(({ part, at }, index) => {
    const isBox = part.shape.kind === 'card' || /^(winner|badge|step plate) /.test(part.key);
    return isBox && at.alpha > 1 - SEEN ? [{ box: boxOf(part, at), at: index }] : [];
  });
}

export function collisionsIn({ drawn }: Pick<Frame, 'drawn'>): string[] {
  const readings = readingsIn(drawn);
  const covers = coversIn(drawn);
  const faults: string[] = [];
  for (const [index, front] of readings.entries())
    for (const back of readings.slice(0, index)) {
      const meets = front.boxes.flatMap(box => back.boxes.flatMap(other => cut(box, other) ?? []));
      const isHidden = (box: Box) =>
        covers.some(cover => cover.at > back.at && cover.at < front.at && isWithin(box, cover.box));
      if (meets.some(box => !isHidden(box))) faults.push(`“${back.words}” and “${front.words}” overlap`);
    }
  return faults;
}

const OUTSIDE = /^(screen|ground image|veil|rehearsal|sweep)/;

/** The winner of a full picture has the ground to its edge. */
function isBleeding({ at }: Part, laid: Laid, size: Size): boolean {
  const { bottom, right } = screenOf(laid, size);
  return at.y <= 0 && (at.y + at.height >= bottom - SLACK || at.x + at.width >= right - SLACK);
}

/** What is drawn outside the safe margin, or outside its panel. */
export function spillsIn({ drawn, laid }: Pick<Frame, 'drawn' | 'laid'>, size: Size): string[] {
  const safe = safeAreaOf(laid, size);
  const holderOf = (key?: string) =>
    key && drawn.find(({ part }) => part.key === (key === 'code card' ? key : 'plate'));
  return drawn.flatMap(({ part, at, clip }) => {
    const isGround =
      OUTSIDE.test(part.key) || (part.key.startsWith('winner ') && isBleeding(part, laid, size));
    const isEmpty = at.width === 0 || (part.shape.kind === 'bar' && at.value === 0);
    if (isGround || at.alpha <= SEEN || isEmpty) return [];
    const own = boxOf(part, at);
    const seen = clip ? cut(own, edgesOf(clip)) : own;
    const holder = clip ? undefined : holderOf(part.within);
    const bounds = holder ? boxOf(holder.part, holder.at) : safe;
    return !seen || isWithin(seen, bounds) ? [] : [`${part.key} is outside its box`];
  });
}

/** Figures of a marked winner that differ from those at the end. */
export function falseFiguresIn({ drawn, rest }: Pick<Frame, 'drawn' | 'rest'>): string[] {
  const marked = new Set(
    drawn.flatMap(({ part, at, clip }) =>
      /^(badge|winner) /.test(part.key) && at.alpha > SEEN && at.width > 0 && clip?.width !== 0
        ? [part.row]
        : [],
    ),
  );
  const isFinal = ({ part: { row, shape }, at }: Drawn) =>
    shape.kind !== 'figure' ||
    rest.some(
      other =>
        other.part.shape.kind === 'figure' &&
        other.part.row === row &&
        shape.format(other.at.value) === shape.format(at.value),
    );
  return drawn
    .filter(
      one => one.part.row !== undefined && marked.has(one.part.row) && one.at.alpha > SEEN && !isFinal(one),
    )
    .map(({ part }) => `${part.key} is not final below a mark`);
}

/** Two polls of a show in one language; answers are short enough that nothing has to be shortened. */
const casts = {
  en: {
    titles: ['Which song should close the show?', 'Should the match go to extra time tonight?'],
    answers: ['Northern Lights', 'Paper Planes', 'Golden Hour', 'Midnight Train', 'Slow Motion'],
  },
  pl: {
    titles: ['Która piosenka powinna zakończyć dzisiejszy program?', 'Czy mecz powinien mieć dogrywkę?'],
    answers: ['Zorza polarna', 'Papierowe samoloty', 'Złota godzina', 'Nocny pociąg', 'Zwolnione tempo'],
  },
  ar: {
    titles: ['أي أغنية تختتم العرض الليلة؟', 'هل تذهب المباراة إلى وقت إضافي؟'],
    answers: ['أضواء الشمال', 'طائرات ورقية', 'الساعة الذهبية', 'قطار الليل', 'حركة بطيئة'],
  },
  ja: {
    titles: ['番組の最後を飾る曲はどれですか？', '試合は延長戦に入るべきですか？'],
    answers: ['オーロラ', '紙飛行機', '黄金の時間', '真夜中の列車', 'スローモーション'],
  },
} as const;
export type Tongue = keyof typeof casts;
export const tongues = Object.keys(casts) as readonly Tongue[];

function known(tongue: Tongue, votes: readonly number[], changes: Partial<ResultsBody> = {}): ResultsBody {
  const { answers, titles } = casts[tongue];
  const made = knownResults(votes, { title: titles[0], ...changes });
  return { ...made, poll_answers: made.poll_answers.map((one, at) => ({ ...one, answer: answers[at]! })) };
}

function secret(poll: ResultsBody, revealedFrom?: number): PollSnapshot {
  const { id, title, status, deadline, total_votes, total_voters } = poll;
  const votes = poll.poll_answers.map(one => one.votes);
  const revealed = revealedFrom === undefined ? [] : revealedAnswers({ votes, revealedFrom });
  const total = revealedFrom === undefined ? {} : { total_votes, total_voters, revealed_from: revealedFrom };
  const answers = poll.poll_answers.map(({ votes: _, ...answer }, at) => ({ ...answer, ...revealed[at] }));
  return knownHidden({ id, title, status, deadline, poll_answers: answers, ...total });
}

interface Change {
  readonly before: Omit<Shot, 'kind'>;
  readonly after: Shot;
}

const closed = { status: 'closed' } as const;
const VOTES = [1204, 877, 654, 312, 96];
const inMs = (ms: number) => new Date(NOW_MS + ms).toISOString();

/** Every change that viewers see. */
export const moments: Readonly<Record<string, (tongue: Tongue) => Change>> = {
  'a take from nothing': tongue => ({
    before: { poll: undefined },
    after: { poll: known(tongue, VOTES), kind: 'enter' },
  }),
  'a take to a larger poll': tongue => ({
    before: { poll: known(tongue, [9, 4], { ...closed, title: casts[tongue].titles[1] }) },
    after: { poll: known(tongue, VOTES, { id: 'p2' }), kind: 'enter' },
  }),
  'a take to a smaller poll': tongue => ({
    before: { poll: known(tongue, VOTES, closed) },
    after: { poll: known(tongue, [9, 4], { id: 'p2', title: casts[tongue].titles[1] }), kind: 'enter' },
  }),
  'an exit': tongue => ({
    before: { poll: known(tongue, VOTES, closed) },
    after: { poll: undefined, kind: 'enter' },
  }),
  'an opening with a chat': tongue => ({
    before: {
      poll: known(tongue, [0, 0, 0, 0, 0], { status: 'upcoming' }),
      look: { around: { away: false, chatLabels: [] } },
    },
    after: {
      poll: known(tongue, [0, 0, 0, 0, 0], { deadline: inMs(60_000) }),
      kind: 'change',
      look: { around: { away: false, chatLabels: ['1', '2', '3', '4', '5'] } },
    },
  }),
  'the first votes': tongue => ({
    before: { poll: known(tongue, [0, 0, 0, 0, 0]) },
    after: { poll: known(tongue, [1, 0, 2, 0, 0]), kind: 'change' },
  }),
  'an overtake by one': tongue => ({
    before: { poll: known(tongue, VOTES) },
    after: { poll: known(tongue, [1204, 1300, 654, 312, 96]), kind: 'change' },
  }),
  'an overtake by two': tongue => ({
    before: { poll: known(tongue, VOTES) },
    after: { poll: known(tongue, [1204, 877, 1300, 312, 96]), kind: 'change' },
  }),
  'an overtake of all': tongue => ({
    before: { poll: known(tongue, VOTES) },
    after: { poll: known(tongue, [1204, 877, 654, 312, 1300]), kind: 'change' },
  }),
  'an order turned around': tongue => ({
    before: { poll: known(tongue, VOTES) },
    after: { poll: known(tongue, [96, 312, 654, 877, 1204]), kind: 'change' },
  }),
  'the last ten seconds': tongue => ({
    before: { poll: known(tongue, VOTES, { deadline: inMs(10_900) }) },
    after: { poll: known(tongue, VOTES, { deadline: inMs(9_900) }), kind: 'change' },
  }),
  'a close with a winner': tongue => ({
    before: { poll: known(tongue, VOTES, { deadline: inMs(900) }) },
    after: { poll: known(tongue, [1204, 1290, 654, 312, 96], closed), kind: 'change' },
  }),
  'a close with a tie': tongue => ({
    before: { poll: known(tongue, VOTES) },
    after: { poll: known(tongue, [1204, 1204, 654, 312, 96], closed), kind: 'change' },
  }),
  'a close without votes': tongue => ({
    before: { poll: known(tongue, [0, 0, 0]) },
    after: { poll: known(tongue, [0, 0, 0], closed), kind: 'change' },
  }),
  'a close of a hidden poll': tongue => ({
    before: { poll: secret(known(tongue, VOTES)) },
    after: { poll: secret(known(tongue, VOTES, closed)), kind: 'change' },
  }),
  'a reveal of all': tongue => ({
    before: { poll: secret(known(tongue, VOTES, closed)) },
    after: { poll: known(tongue, VOTES, closed), kind: 'reveal' },
  }),
  'a reveal of two': tongue => ({
    before: { poll: secret(known(tongue, [44, 56], closed)) },
    after: { poll: known(tongue, [44, 56], closed), kind: 'reveal' },
  }),
  'a reveal of a tie': tongue => ({
    before: { poll: secret(known(tongue, [877, 877, 20], closed)) },
    after: { poll: known(tongue, [877, 877, 20], closed), kind: 'reveal' },
  }),
  'a first step': tongue => ({
    before: { poll: secret(known(tongue, [312, 96, 1204, 654, 877], closed)) },
    after: { poll: secret(known(tongue, [312, 96, 1204, 654, 877], closed), 5), kind: 'reveal' },
  }),
  'a step': tongue => ({
    before: { poll: secret(known(tongue, [312, 96, 1204, 654, 877], closed), 5) },
    after: { poll: secret(known(tongue, [312, 96, 1204, 654, 877], closed), 4), kind: 'reveal' },
  }),
  'the last two places': tongue => ({
    before: { poll: secret(known(tongue, [312, 96, 877, 654, 1204], closed), 3) },
    after: { poll: known(tongue, [312, 96, 877, 654, 1204], closed), kind: 'reveal' },
  }),
  'the last step': tongue => ({
    before: { poll: secret(known(tongue, [312, 96, 877, 654, 1204], closed), 2) },
    after: { poll: known(tongue, [312, 96, 877, 654, 1204], closed), kind: 'reveal' },
  }),
};

/** What is wrong in the frames of a moment. */
export function faultsOf(moment: string, tongue: Tongue, query: string, size: Size): string[] {
  const { before, after } = moments[moment]!(tongue);
  const frames = strip(before, after, `${query}&lang=${tongue}`, size);
  return frames.flatMap(frame => {
    const isWide = size[0] > size[1];
    const faults = [
      ...collisionsIn(frame),
      ...spillsIn(frame, size),
      ...falseFiguresIn(frame),
      ...(isWide ? brokenIn(frame, tongue) : []),
    ];
    return faults.map(fault => `${frame.ms} ms: ${fault}`);
  });
}

/** Words that go on in another line. Japanese has no spaces, and its lines end anywhere. */
function brokenIn({ drawn }: Frame, tongue: Tongue): string[] {
  if (tongue === 'ja') return [];
  const { titles, answers } = casts[tongue];
  const whole = new Set([...titles, ...answers].flatMap(text => text.split(' ')));
  return drawn.flatMap(({ part: { key, shape } }) => {
    if (shape.kind !== 'text' || !/^(won )?(name|title)/.test(key)) return [];
    // The names of those that share a place are a sentence.
    if (shape.lines.join('').includes('\u2068')) return [];
    const words = shape.lines.flatMap(line => line.trim().split(/\s+/));
    return words.every(word => whole.has(word)) ? [] : [`${key} is broken: ${shape.lines.join('/')}`];
  });
}
