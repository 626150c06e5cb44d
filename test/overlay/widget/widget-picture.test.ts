import { expect, it } from 'vitest';
import type { WatchState } from '../../../src/client/watch-state.ts';
import { catalogueFor } from '../../../src/locales/catalogues.ts';
import {
  composeWidget,
  type WidgetPicture,
  type WidgetWords,
} from '../../../src/overlay/widget/widget-picture.ts';
import { OverlayWording } from '../../../src/picture/wording.ts';
import { hiddenMessage, resultsMessage } from '../../client/results-message.ts';

const NOW_MS = Date.parse('2026-01-01T12:00:00.000Z');
const LIVE: WatchState = { state: 'live', via: 'websocket' };

function words(language = 'en', sort: WidgetWords['sort'] = 'order', voided = false): WidgetWords {
  return { wording: new OverlayWording(language, 0), phrases: catalogueFor(language).widget, sort, voided };
}

function picture(
  votes: number[],
  more: Parameters<typeof resultsMessage>[1] = {},
  used = words(),
): WidgetPicture {
  const results = resultsMessage(1, {
    poll_answers: votes.map((count, index) => ({
      id: `a${index}`,
      answer: `Answer ${index}`,
      sorting: index + 1,
      type: 'text',
      votes: count,
    })),
    total_votes: votes.reduce((sum, count) => sum + count, 0),
    ...more,
  });
  return composeWidget(LIVE, results, used, NOW_MS);
}

it('waits for the first vote, then shows the total', () => {
  expect(picture([0, 0])).toMatchObject({ moment: 'waiting', note: 'Waiting for the first vote' });
  expect(picture([1_000, 0])).toMatchObject({ moment: 'open', note: '1,000 votes' });
});

it('keeps the order of the poll, or sorts by votes with ties in the order of the poll', () => {
  expect(picture([1, 3, 3]).rows.map(({ id }) => id)).toEqual(['a0', 'a1', 'a2']);
  expect(picture([1, 3, 3], {}, words('en', 'votes')).rows.map(({ id }) => id)).toEqual(['a1', 'a2', 'a0']);
});

it('has percentages that are equal for equal counts, and bars of the exact share', () => {
  const figures = (votes: number[]): string[] => picture(votes).rows.map(({ percent }) => percent);
  expect(figures([2, 2, 3])).toEqual(['29%', '29%', '42%']);
  expect(figures([1, 1, 1])).toEqual(['33%', '33%', '33%']);
  expect(picture([1, 1, 1]).rows.map(({ length }) => length)).toEqual([1 / 3, 1 / 3, 1 / 3]);
});

it('marks the winner or a tie once the poll is closed', () => {
  const badges = (drawn: WidgetPicture): string[] => drawn.rows.map(({ badge }) => badge);
  expect(badges(picture([3, 1]))).toEqual(['', '']);
  expect(badges(picture([3, 1], { status: 'closed' }))).toEqual(['Winner', '']);
  expect(badges(picture([3, 3], { status: 'closed' }))).toEqual(['Tie', 'Tie']);
  expect(badges(picture([0, 0], { status: 'closed' }))).toEqual(['', '']);
  const closed = resultsMessage(3, { status: 'closed' });
  const winners = (winner: 'pending' | 'shown') =>
    badges(composeWidget(LIVE, { ...closed, winner }, words(), NOW_MS)).filter(Boolean);
  expect([winners('pending'), winners('shown')]).toEqual([[], ['Winner']]);
});

it('keeps stale results and marks them', () => {
  const results = resultsMessage(5);
  const drawn = composeWidget({ state: 'stale', reason: 'connection' }, results, words(), NOW_MS);
  expect(drawn).toMatchObject({ moment: 'open', note: '5 votes', away: 'Not live right now' });
});

it('tells when hidden results appear, if that is known', () => {
  const note = (more: Parameters<typeof hiddenMessage>[0]): string =>
    composeWidget({ state: 'hidden', hidden: hiddenMessage(more) }, undefined, words(), NOW_MS).note;
  const deadline = '2026-03-01T20:00:00.000Z';
  expect(note({ results_visibility: 'after_deadline', deadline })).toMatch(/^Results at Mar 1/);
  expect(note({ results_visibility: 'hidden', deadline })).toBe('Results to follow');
  expect(composeWidget({ state: 'hidden', hidden: null }, undefined, words(), NOW_MS).moment).toBe('hidden');
});

it('shows the figures of revealed answers, and the others by name alone', () => {
  const answers = [{ votes: 1, place: 3 }, {}, { votes: 2, place: 2 }];
  const poll_answers = answers.map((figures, index) => ({
    id: `a${index}`,
    answer: `Answer ${index}`,
    sorting: index + 1,
    type: 'text' as const,
    ...figures,
  }));
  const more = { status: 'closed', poll_answers, revealed_from: 2, total_votes: 8, total_voters: 8 } as const;
  const drawn = (used = words()) =>
    composeWidget({ state: 'hidden', hidden: hiddenMessage(more) }, undefined, used, NOW_MS);
  expect(drawn().note).toBe('Results to follow · 8 votes');
  const figures = drawn().rows.map(({ count, percent, length, badge }) => [count, percent, length, badge]);
  expect(figures).toEqual([
    ['1', '13%', 1 / 8, ''],
    ['', '', 0, ''],
    ['2', '25%', 1 / 4, ''],
  ]);
  expect(drawn(words('en', 'votes')).rows.map(({ id }) => id)).toEqual(['a1', 'a2', 'a0']);
});

it('shows no rows of a deleted poll', () => {
  const refused: WatchState = { state: 'refused', code: 4410, error: 'poll_not_found', message: '' };
  expect(composeWidget(refused, resultsMessage(5), words(), NOW_MS)).toEqual({
    moment: 'gone',
    title: '',
    rows: [],
    note: 'This poll isn’t available',
    vote: '',
    away: '',
  });
});

it('uses the language of any region, and falls back to English', () => {
  const away = (language: string) =>
    composeWidget({ state: 'stale' } as WatchState, undefined, words(language), NOW_MS).away;
  expect(away('de-AT')).toBe('Gerade nicht live');
  expect(away('tlh')).toBe('Not live right now');
});
