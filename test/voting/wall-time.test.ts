import { expect, it, vi } from 'vitest';
import { offsetOf, parseWallTime } from '../../src/pages/page/wall-time.ts';

const HOUR = 3_600_000;
const ZONES = [
  'Europe/Berlin',
  'Europe/Dublin',
  'America/New_York',
  'America/Santiago',
  'America/Havana',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Antarctica/Troll',
  'Pacific/Auckland',
];

const offsetAt = (ms: number) => -new Date(ms).getTimezoneOffset() * 60_000;

it.each(ZONES)('a time on a wall in %s is stored as `Date` reads it, around both changes', zone => {
  vi.stubEnv('TZ', zone);
  const year = Date.UTC(2026, 0, 1);
  const changes = Array.from({ length: 365 * 48 }, (_, half) => year + (half * HOUR) / 2).filter(
    ms => offsetAt(ms) !== offsetAt(ms - HOUR / 2),
  );
  expect(changes).toHaveLength(2);
  for (const change of changes)
    for (let half = -8; half <= 8; half += 1) {
      const [before, after] = [offsetAt(change - 1), offsetAt(change)];
      const wallMs = change + before + (half * HOUR) / 2;
      const wall = new Date(wallMs).toISOString().slice(0, 16);
      // Skipped: as much later. Shown twice: the first.
      const expected = wallMs - (wallMs - before < change || wallMs - after < change ? before : after);
      expect([wall, parseWallTime(wall, offsetOf(wall))]).toEqual([wall, expected]);
    }
});

it('no time has no offset', () => {
  expect([offsetOf(''), parseWallTime('', '')]).toEqual(['', undefined]);
});
