import { describe, expect, it } from 'vitest';
import { drawingStyles, styleTraits } from '../../src/picture/styles.ts';
import { HD } from './drawn.ts';
import { faultsOf, moments, tongues } from './television.ts';

/** A sample of `television.slow.test.ts`: each style in each moment, in one language after the other. */

const styles = drawingStyles.filter(style => style !== 'code' && !styleTraits[style].isOffAir);

describe.each(styles)('%s', style => {
  it.each(Object.keys(moments))('is true and legible in every frame of: %s', moment => {
    const at = Object.keys(moments).indexOf(moment) + styles.indexOf(style);
    const tongue = tongues[at % tongues.length]!;
    const scene = at % 3 === 0 && style !== 'ticker' ? '&scene=full' : '';
    expect(faultsOf(moment, tongue, `style=${style}${scene}`, HD).slice(0, 12)).toEqual([]);
  });
});
