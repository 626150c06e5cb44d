import { describe, expect, it } from 'vitest';
import type { Drawn } from '../../src/picture/draw/film.ts';
import { layOut } from '../../src/picture/draw/lay-out.ts';
import type { Part, Shape } from '../../src/picture/draw/part.ts';
import { chatLabelsOf, type PollSnapshot } from '../../src/picture/picture.ts';
import { drawingStyles, styleTraits } from '../../src/picture/styles.ts';
import { themeNames } from '../../src/picture/themes.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import { atRest, draw, HD, lookOf, NOW_MS, wordsIn, wordsOf } from './drawn.ts';

/** A code alone says nothing of its poll. */
const styles = drawingStyles.filter(style => style !== 'code');
const onAir = styles.filter(style => style !== 'host');

type Pill = Extract<Shape, { readonly kind: 'pill' }>;

const inMs = (ms: number) => new Date(NOW_MS + ms).toISOString();
const states = {
  upcoming: knownResults([0, 0], { status: 'upcoming' }),
  open: knownResults([5, 3], { deadline: inMs(90_000) }),
  'the last ten seconds': knownResults([5, 3], { deadline: inMs(9_500) }),
  'closed by the clock': knownResults([5, 3], { deadline: inMs(-500) }),
  'hidden and open': knownHidden(),
  'hidden and closed': knownHidden({ status: 'closed' }),
  final: knownResults([5, 3], { status: 'closed' }),
} satisfies Record<string, PollSnapshot>;

const said: Readonly<Record<keyof typeof states, string>> = {
  upcoming: 'VOTING OPENS SOON',
  open: 'VOTE NOW 1:30',
  'the last ten seconds': 'VOTE NOW 10',
  'closed by the clock': 'VOTING CLOSED',
  'hidden and open': 'VOTE NOW',
  'hidden and closed': 'RESULTS TO FOLLOW',
  final: 'FINAL RESULTS',
};

/** What one sees of the state without reading or colors. */
function formOf(parts: readonly Part[]): string {
  const shapes = parts.map(({ shape }) => shape);
  const pill = shapes.find(shape => shape.kind === 'pill');
  const time = parts.find(({ key }) => key === 'time')?.shape;
  const isCounted = pill && pill.timeFont.size > pill.font.size;
  const hasFigures = parts.some(({ shape, row }) => shape.kind === 'figure' && row !== undefined);
  const hasWinner = parts.some(({ key }) => key.startsWith('badge '));
  return [
    isCounted ? 'large number' : `${pill?.ground ? 'filled' : 'outlined'} pill, mark ${pill?.mark}`,
    hasFigures ? 'figures' : 'no figures',
    hasWinner ? 'a badge' : 'no badge',
    time && 'font' in time ? `time in ${time.font.size}` : 'no time',
  ].join(', ');
}

describe.each(styles)('%s', style => {
  it.each(Object.keys(states) as (keyof typeof states)[])('says what viewers can do: %s', state => {
    const words = wordsOf(draw(states[state], `style=${style}`));
    // A presenter's screen has the time in large figures.
    const [call, time] =
      style === 'host' ? (/^(\D+?) ?([\d:]*)$/.exec(said[state]) ?? []).slice(1) : [said[state]];
    expect(words).toEqual(expect.arrayContaining([call, time].filter(Boolean)));
    const others = new Set(Object.values(said).filter(other => other !== call));
    expect(words.filter(one => others.has(one))).toEqual([]);
  });

  it('says that the last votes are counted, and to a presenter how long', () => {
    const late = layOut(
      states['closed by the clock'],
      lookOf(`style=${style}`, HD, { around: { away: false, lateMs: 7_000 } }),
      NOW_MS,
    );
    expect(wordsOf(late)).toContain('COUNTING THE LAST VOTES');
    expect(wordsOf(late).filter(words => words.startsWith('Late votes'))).toEqual(
      style === 'host' ? ['Late votes 0:07'] : [],
    );
  });

  it('waits for the winner that comes on a press, without a badge and with all rows alike', () => {
    const pending = draw({ ...states.final, winner: 'pending' }, `style=${style}`);
    expect(wordsOf(pending)).toContain('VOTING CLOSED');
    expect(pending.parts.some(({ key }) => key.startsWith('badge '))).toBe(false);
    for (const winner of ['shown', 'past'] as const)
      expect(wordsOf(draw({ ...states.final, winner }, `style=${style}`))).toContain('FINAL RESULTS');
  });

  it('looks different in each state, without words and colors', () => {
    const forms = Object.values(states).map(poll => formOf(draw(poll, `style=${style}`).parts));
    expect(new Set(forms).size).toBe(forms.length);
  });

  it('has figures only while results are known', () => {
    for (const poll of [states['hidden and open'], states['hidden and closed'], states.upcoming])
      expect(wordsOf(draw(poll, `style=${style}`)).join()).not.toMatch(/%|\d votes?/);
    expect(wordsOf(draw(states.open, `style=${style}`)).join()).toMatch(/62%/);
  });

  it('shows the total unless it is hidden', () => {
    const totals = (poll: PollSnapshot) =>
      wordsOf(draw(poll, `style=${style}`)).filter(words => /\d+ votes?$/.test(words));
    expect(totals(states.open)).toEqual(['8 votes']);
    expect(totals(states.final)).toEqual(['8 votes']);
    expect(totals(states['hidden and open'])).toEqual([]);
    expect(totals(states['hidden and closed'])).toEqual([]);
  });

  it('shows the total of a hidden poll that has one, and nothing else', () => {
    const shown = (poll: PollSnapshot) => wordsOf(draw(poll, `style=${style}`));
    const counted = knownHidden({ total_votes: 1234, total_voters: 1234 });
    expect(shown(counted)).toContain('1,234 votes');
    expect(shown(counted).filter(words => words !== '1,234 votes')).toEqual(shown(knownHidden()));
    expect(shown({ ...counted, status: 'upcoming' }).join()).not.toContain('votes');
  });

  it('shows removed votes only if asked for, and only while counts are visible', () => {
    const removed = (query: string, poll: PollSnapshot) =>
      wordsOf(draw(poll, `style=${style}${query}`)).filter(words => /removed/.test(words));
    const poll = knownResults([5, 3], { voided_votes: 3 });
    expect(removed('', poll)).toEqual([]);
    expect(removed('&voided=on', poll)).toEqual(['3 votes removed']);
    expect(removed('&voided=on', knownHidden())).toEqual([]);
    expect(removed('&voided=on', knownResults([5, 3]))).toEqual([]);
  });

  it('counts people by source only if asked for, and only while counts are visible', () => {
    const by_source = { page: 5, twitch: 1_200, kick: 1 };
    const counted = (query: string, poll: PollSnapshot) =>
      wordsOf(draw(poll, `style=${style}${query}`)).filter(words => /Web page|Twitch|Kick/.test(words));
    const poll = knownResults([1_203, 3], { by_source });
    expect(counted('', poll)).toEqual([]);
    expect(counted('&sources=1', poll)).toEqual(['Web page 5', 'Twitch 1,200', 'Kick 1']);
    expect(counted('&sources=1', knownHidden())).toEqual([]);
    expect(counted('&sources=1', knownResults([5, 3]))).toEqual([]);
  });

  it('says what to type in chat while one can vote, and stays on the picture', () => {
    const said = (poll: PollSnapshot) => {
      const chatLabels = chatLabelsOf(poll);
      const look = lookOf(`style=${style}`, HD, { around: { away: false, chatLabels } });
      const laid = layOut(poll, look, NOW_MS);
      expect(laid).toMatchObject({ fits: true, cut: [] });
      return wordsOf(laid).filter(words => / in chat$/.test(words));
    };
    expect(said(knownResults([5, 3]))).toEqual(['Type 1 or 2 in chat']);
    expect(said(knownResults([5, 3], { chat_labels: ['Z', 'A'] }))).toEqual(['Type Z or A in chat']);
    expect(said(knownResults([5, 3, 2, 2, 1, 0]))).toEqual(['Type 1–6 in chat']);
    expect(said(knownResults([5, 3], { chat_labels: [] }))).toEqual([]);
    expect(said(knownResults([5, 3], { status: 'closed' }))).toEqual([]);
    expect(said(knownResults([5, 3], { deadline: new Date(NOW_MS - 1).toISOString() }))).toEqual([]);
  });

  it('breaks no line at a no-break space, as after the label of an answer', () => {
    const title = 'One two three four five six\u00A0seven eight nine ten eleven twelve';
    for (let width = 20; width <= 60; width += 5) {
      const { parts } = draw({ ...states.open, title }, `style=${style}&width=${width}`);
      const lines = parts.flatMap(({ shape }) => (shape.kind === 'text' ? shape.lines : []));
      expect(lines.filter(line => /six\s*$|^seven/.test(line))).toEqual([]);
    }
  });

  it('draws markup as it is written', () => {
    const markup = '<b>bold</b> &amp;';
    expect(wordsOf(draw({ ...states.open, title: markup }, `style=${style}`))).toContain(markup);
  });
});

describe.each(onAir)('%s', style => {
  it.each([
    ['a winner', [5, 3], ['Winner']],
    ['a tie', [5, 5], ['Tie']],
    ['no votes', [0, 0], []],
  ] as const)('marks with a word: %s', (_, votes, words) => {
    const marks = (poll: PollSnapshot) => [
      ...new Set(wordsOf(draw(poll, `style=${style}`)).filter(text => /^(Winner|Tie)$/.test(text))),
    ];
    expect(marks(knownResults(votes))).toEqual([]);
    expect(marks(knownResults(votes, { status: 'closed' }))).toEqual(words);
    expect(wordsOf(draw(knownResults(votes, { status: 'closed' }), `style=${style}&winner=0`))).not.toContain(
      words[0],
    );
  });

  it('shows the code only while one can vote', () => {
    const hasCode = (poll: PollSnapshot) => {
      const { hasCode, parts } = layOut(poll, lookOf(`style=${style}&qr=right`, HD), NOW_MS);
      expect(parts.some(({ key }) => key === 'address')).toBe(hasCode);
      return hasCode;
    };
    const shown = Object.entries(states).filter(([, poll]) => hasCode(poll));
    expect(shown.map(([state]) => state)).toEqual(['open', 'the last ten seconds', 'hidden and open']);
  });

  it('centers the panel again when the code goes', () => {
    const plate = (query: string) =>
      draw(knownResults([5, 3], { status: 'closed' }), `style=${style}&align=center${query}`).parts.find(
        ({ key }) => key === 'plate',
      )!.at;
    expect(plate('&qr=right')).toEqual(plate(''));
  });

  it('has one height, whatever is hidden, final or won', () => {
    const heights = Object.values(states).map(
      poll => draw(poll, `style=${style}`).parts.find(({ key }) => key === 'plate')!.at.height,
    );
    expect(new Set(heights).size).toBe(1);
  });

  it('marks a lost connection only when asked to', () => {
    const isMarked = (query: string, away: boolean) =>
      layOut(
        states.open,
        lookOf(`style=${style}&total=0${query}`, HD, { around: { away } }),
        NOW_MS,
      ).parts.some(({ key }) => key === 'away');
    expect([isMarked('', true), isMarked('&away=1', false), isMarked('&away=1', true)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('says what is next and what is secret to presenters only', () => {
    const secret = knownResults([5, 3], { results_visibility: 'hidden' });
    const around = { away: false, next: 'Another question' };
    const words = wordsOf(layOut(secret, lookOf(`style=${style}`, HD, { around }), NOW_MS));
    expect(words).not.toContain('Hidden from the audience');
    expect(words).not.toContain('Another question');
  });
});

it('tells a presenter what is next and what is secret', () => {
  const secret = knownResults([5, 3], { results_visibility: 'hidden' });
  const words = (next: string | null | undefined, away = false) =>
    wordsOf(layOut(secret, lookOf('style=host', HD, { around: { away, next } }), NOW_MS));
  expect(words('Another question')).toEqual(
    expect.arrayContaining(['Hidden from the audience', 'Next poll', 'Another question']),
  );
  expect(words(null)).toContain('No next poll');
  expect(words(undefined)).not.toContain('No next poll');
  expect(words('Another question', true).join()).toContain('Connection lost');
});

it('has the time within the state: the last seconds in type twice as large, in the same height', () => {
  const pillOf = (poll: PollSnapshot) =>
    atRest(draw(poll, '')).find(({ part }) => part.key === 'state') as Drawn & { part: { shape: Pill } };
  const [open, last] = [pillOf(states.open), pillOf(states['the last ten seconds'])];
  expect(last.part.shape.timeFont.size).toBe(2 * open.part.shape.font.size);
  expect(last.at.height).toBe(open.at.height);
  expect([open.at.value, last.at.value]).toEqual([0, 0.9]);
  expect(wordsOf(draw(states['the last ten seconds'], 'countdown=0'))).toContain('VOTE NOW');
  expect(wordsOf(draw(states.open, '')).filter(words => /1:30/.test(words))).toHaveLength(1);
});

it.each(themeNames)('never takes the colors of a state from an answer: %s', theme => {
  const lookOfState = (votes: number[], colors: string) => {
    const poll = knownResults(votes, { status: 'closed' });
    const shape = draw(poll, `theme=${theme}&colors=${colors}`).parts.find(
      ({ key }) => key === 'state',
    )!.shape;
    return shape.kind === 'pill' && [shape.ground, shape.ink];
  };
  const looks = [
    lookOfState([5, 3], 'e4002b,003b8e'),
    lookOfState([3, 5], '009639,ffb703'),
    lookOfState([4, 4], '123456,654321'),
  ];
  expect(new Set(looks.map(look => JSON.stringify(look))).size).toBe(1);
});

it('says that a poll has closed without votes, and grays nothing out', () => {
  const parts = atRest(draw(knownResults([0, 0, 0], { status: 'closed' }), ''));
  expect(parts.map(wordsIn)).toContain('NO VOTES');
  expect(parts.filter(({ at }) => at.alpha < 1)).toEqual([]);
});

it.each(onAir)('draws what people type in chat as keys, in the order of the poll: %s', style => {
  const chatLabels = ['1', '2', '3'];
  const keysIn = (query: string) => {
    const look = lookOf(`style=${style}${query}`, HD, { around: { away: false, chatLabels } });
    const { parts } = layOut(knownResults([3, 9, 5]), look, NOW_MS);
    return parts.filter(({ key }) => key.startsWith('key ')).map(part => wordsIn({ part, at: part.at }));
  };
  if (style === 'big-number') return expect(keysIn('')).toEqual([]);
  const shown = style === 'versus' ? ['2', '3'] : chatLabels;
  expect(keysIn('')).toEqual(shown);
  if (!styleTraits[style].ignores.includes('sort')) expect(keysIn('&sort=votes')).toEqual(['2', '3', '1']);
});

it('names no leader beside the big number before the first vote, unless an answer is set', () => {
  const words = (votes: number[], query = '') =>
    wordsOf(draw(knownResults(votes), `style=big-number${query}`));
  expect(words([0, 0])).toContain('0%');
  expect(words([0, 0]).join()).not.toContain('Answer');
  expect(words([0, 0], '&answer=2')).toContain('Answer 2');
  expect(words([0, 1])).toContain('Answer 2');
});

it('waits for the first vote in words, and has no foot without anything to say', () => {
  const heights = (votes: number[]) =>
    draw(knownResults(votes), 'total=0&countdown=0').parts.find(({ key }) => key === 'plate')!.at.height;
  expect(wordsOf(draw(knownResults([0, 0]), 'total=0'))).toContain('Waiting for the first vote');
  expect(heights([5, 3])).toBeLessThan(heights([0, 0]) - 40);
});

it.each(['bars', 'columns', 'donut', 'bars&scene=full', 'columns&scene=full', 'donut&scene=full', 'host'])(
  'shows all answers in pages of equal length: %s',
  style => {
    const poll = knownResults(Array.from({ length: 43 }, (_, at) => at));
    const pages = (turn: number | undefined) => layOut(poll, lookOf(`style=${style}`, HD, { turn }), NOW_MS);
    const first = pages(0);
    const named = Array.from({ length: first.turns }, (_, turn) =>
      pages(turn).picture!.rows.map(({ answer }) => answer),
    );
    expect(new Set(named.flat()).size).toBe(43);
    expect(named.flat()).toHaveLength(43);
    for (const names of named.slice(0, -1)) expect(names).toHaveLength(named[0]!.length);
    for (let turn = 0; turn < first.turns; turn++) {
      const dots = (key: RegExp) =>
        pages(turn)
          .parts.filter(part => key.test(part.key))
          .map(({ at }) => at.x);
      expect(dots(/^dot /)).toHaveLength(first.turns);
      expect(dots(/^page$/)).toEqual([dots(/^dot /)[turn]]);
      const plate = ({ parts }: typeof first) => parts.find(({ key }) => key === 'plate')?.at;
      expect(plate(pages(turn))).toEqual(plate(first));
    }
    const still = pages(undefined);
    expect(still.turns).toBe(1);
    expect(wordsOf(still)).toContain(`and ${43 - still.picture!.rows.length} more`);
  },
);

it('says how many answers are left out', () => {
  const many = knownResults(Array.from({ length: 100 }, (_, at) => at));
  expect(wordsOf(draw(many, 'top=3')).join()).toContain('Top 3 of 100 answers');
  expect(wordsOf(draw(knownResults([5, 3]), '')).join()).not.toContain('Top');
});

it.each(themeNames)('fills the screen of a presenter whatever the theme: %s', theme => {
  const [ground] = draw(states.open, `style=host&theme=${theme}&plate=ffffff00`).parts;
  expect(ground).toMatchObject({
    key: 'screen',
    shape: { fill: { color: '#0a0c12' } },
    at: { x: 0, y: 0, width: 1920 / 1.3, height: 1080 / 1.3 },
  });
});

it.each([
  [
    [504, 496],
    ['50.4%', '49.6%'],
  ],
  [
    [5_002, 4_998],
    ['50.02%', '49.98%'],
  ],
  [
    [504, 496, 0],
    ['50.4%', '49.6%', '0%'],
  ],
  [
    [500, 500],
    ['50%', '50%'],
  ],
  [
    [56, 44],
    ['56%', '44%'],
  ],
])('never shows a winner and the second place with the same percentage: %j', (votes, percents) => {
  const words = wordsOf(draw(knownResults(votes, { status: 'closed' }), 'values=percent'));
  expect(words.filter(text => text.endsWith('%')).sort()).toEqual([...percents].sort());
});
