import { describe, expect, it } from 'vitest';
import { HD } from './drawn.ts';
import { faultsOf, moments, movingStyles, tongues } from './television.ts';

/** A sample of `television.slow.test.ts`: each style in each moment, in one language after the other. */

describe.each([...movingStyles, 'bars&scene=strap'])('%s', style => {
  it.each(Object.keys(moments))('is true and legible in every frame of: %s', moment => {
    const at = Object.keys(moments).indexOf(moment) + movingStyles.findIndex(one => style.startsWith(one));
    const tongue = tongues[at % tongues.length]!;
    const scene = at % 3 === 0 && !/ticker|strap/.test(style) ? '&scene=full' : '';
    expect(faultsOf(moment, tongue, `style=${style}${scene}`, HD).slice(0, 12)).toEqual([]);
  });
});
