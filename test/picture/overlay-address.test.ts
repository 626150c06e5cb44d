import { describe, expect, it } from 'vitest';
import { formatOverlayAddress, parseOverlayAddress } from '../../src/picture/overlay-address.ts';

describe('parseOverlayAddress', () => {
  it('reads poll, settings and the key behind #', () => {
    const address = parseOverlayAddress('https://relay.example/overlay/abc-DEF_123?style=donut#key=s%26cret');
    expect(address).toMatchObject({
      relay: 'https://relay.example',
      target: { kind: 'poll', id: 'abc-DEF_123' },
      key: 's&cret',
    });
    expect(address.settings.style).toBe('donut');
  });

  it('reads a show, also under a path', () => {
    expect(parseOverlayAddress('https://a.example/polls/overlay/show/evening%20news/')).toMatchObject({
      relay: 'https://a.example/polls',
      target: { kind: 'show', name: 'evening news' },
    });
  });

  it('ignores a key in the query', () => {
    expect(parseOverlayAddress('https://a.example/overlay/x?key=secret').key).toBeUndefined();
  });

  it('rehearses under any ID', () => {
    expect(parseOverlayAddress('https://a.example/overlay/x?rehearsal=1').target).toEqual({
      kind: 'rehearsal',
    });
  });

  it('keeps an invalid percent-encoding as the ID', () => {
    expect(parseOverlayAddress('https://a.example/overlay/50%').target).toEqual({ kind: 'poll', id: '50%' });
  });

  it.each(['https://a.example/', 'https://a.example/overlay', 'nonsense'])('rejects %s', url => {
    expect(() => parseOverlayAddress(url)).toThrow(TypeError);
  });

  it('parses what formatOverlayAddress returns', () => {
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
