import { describe, expect, it } from 'vitest';
import {
  formatOverlayAddress,
  parseOverlayAddress,
  readLink,
} from '../../src/overlay/parameter/overlay-address.ts';

describe('parseOverlayAddress', () => {
  it('reads poll, settings and the key behind #', () => {
    const address = parseOverlayAddress('https://relay.example/overlay/abc-DEF_123?style=donut#key=s%26cret');
    expect(address).toMatchObject({
      relay: 'https://relay.example',
      target: { kind: 'poll', id: 'abc-DEF_123' },
      key: 's&cret',
      issues: [],
    });
    expect(address.settings.style).toBe('donut');
  });

  it('reads a show, also behind a path of a proxy', () => {
    expect(parseOverlayAddress('https://a.example/polls/overlay/show/evening%20news/')).toMatchObject({
      relay: 'https://a.example/polls',
      target: { kind: 'show', name: 'evening news' },
    });
  });

  it('takes no key from the query', () => {
    const address = parseOverlayAddress('https://a.example/overlay/x?key=secret');
    expect(address.key).toBeUndefined();
    expect(address.issues).toHaveLength(1);
  });

  it('rehearses under any id', () => {
    expect(parseOverlayAddress('https://a.example/overlay/x?rehearsal=1').target).toEqual({
      kind: 'rehearsal',
    });
  });

  it('bears a broken id', () => {
    expect(parseOverlayAddress('https://a.example/overlay/50%').target).toEqual({ kind: 'poll', id: '50%' });
  });

  it.each(['https://a.example/', 'https://a.example/overlay', 'nonsense'])('refuses %s', url => {
    expect(() => parseOverlayAddress(url)).toThrow(TypeError);
  });

  it('reads back what the builder writes', () => {
    const target = { kind: 'show', name: 'evening news' } as const;
    const url = formatOverlayAddress(
      'https://a.example',
      target,
      new URLSearchParams({ size: '120' }),
      'k#1',
    );
    expect(url.split('#')[0]).not.toContain('k%231');
    expect(parseOverlayAddress(url)).toMatchObject({ target, key: 'k#1', settings: { size: 120 } });
  });
});

describe('readLink', () => {
  it.each([
    'https://vote.example/Ab3456789012',
    'https://vote.example/Ab3456789012/',
    'https://vote.example/polls/Ab3456789012/results',
    'https://vote.example/Ab3456789012/manage#key=admin_secret',
    'http://127.0.0.1:8080/api/poll/Ab3456789012',
    'https://relay.example/api/poll/Ab3456789012/live?hz=5',
    ' https://relay.example/overlay/Ab3456789012?style=donut ',
  ])('finds the poll in %s, and takes no admin key', url => {
    expect(readLink(url)).toEqual({ target: { kind: 'poll', id: 'Ab3456789012' }, key: undefined });
  });

  it('finds the simulated poll', () => {
    const target = { kind: 'poll', id: 'rehearsal' };
    expect(readLink('https://relay.example/api/poll/rehearsal')).toEqual({ target, key: undefined });
  });

  it('takes a view key', () => {
    expect(readLink('https://relay.example/overlay/Ab3456789012#key=view_x')?.key).toBe('view_x');
  });

  it.each([
    'https://relay.example/overlay/show/friday-night',
    'https://vote.example/show/friday-night',
    'https://vote.example/desk/friday-night#key=show_secret',
    'https://relay.example/api/show/friday-night',
  ])('finds the show in %s', url => {
    expect(readLink(url)).toEqual({ target: { kind: 'show', name: 'friday-night' }, key: undefined });
  });

  it.each(['Ab3456789012', '', 'https://vote.example/', 'https://vote.example/new', 'ftp://a/Ab3456789012'])(
    'finds nothing in %j',
    text => {
      expect(readLink(text)).toBeUndefined();
    },
  );
});
