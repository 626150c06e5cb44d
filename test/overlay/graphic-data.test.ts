import { describe, expect, it } from 'vitest';
import { addressOf, readGraphicData } from '../../src/overlay/browser/live/graphic-data.ts';

const url = 'https://r.example/overlay/Ab3456789012?style=donut#key=view_url';

describe('the fields of a graphic', () => {
  it('are read by name or number, all or some of them', () => {
    expect(readGraphicData({ url, hold: true, else: 1 })).toEqual({ url, hold: true });
    expect(readGraphicData(JSON.stringify({ f0: ` ${url} `, f1: '', f4: '0' }))).toEqual({
      url,
      poll: '',
      hold: false,
    });
    for (const nothing of [undefined, null, 7, '7']) expect(readGraphicData(nothing)).toBeUndefined();
  });

  it.each([
    [{ url }, url],
    [{ url, poll: '', show: '' }, url],
    [{ url, key: 'view_x' }, 'https://r.example/overlay/Ab3456789012?style=donut#key=view_x'],
    [{ url, poll: 'Zz3456789012' }, 'https://r.example/overlay/Zz3456789012?style=donut'],
    [{ url, poll: 'https://v.example/Zz3456789012' }, 'https://r.example/overlay/Zz3456789012?style=donut'],
    [
      { url, poll: 'Zz3456789012', show: 'friday', key: 'view_x' },
      'https://r.example/overlay/Zz3456789012?style=donut#key=view_x',
    ],
    [{ url, show: 'friday' }, 'https://r.example/overlay/show/friday?style=donut'],
    [
      {
        url: 'https://r.example/p/overlay/rehearsal?rehearsal=1&moment=tie&cast=two&size=90',
        show: 'friday',
      },
      'https://r.example/p/overlay/show/friday?size=90',
    ],
    [{ poll: 'Zz3456789012' }, undefined],
  ])('%j result in the URL %s', (data, address) => {
    expect(addressOf(data)).toBe(address);
  });

  it('are rejected for a URL that is not an overlay', () => {
    expect(() => addressOf({ url: 'https://r.example/elsewhere' })).toThrow(TypeError);
  });
});
