import { describe, expect, it } from 'vitest';
import { styleTraits } from '../../src/picture/styles.ts';
import { themeNames } from '../../src/picture/themes.ts';
import type { Size } from './drawn.ts';
import { faultsOf, moments, movingStyles, tongues } from './television.ts';

/** Every frame of every moment: no text lies on another, nothing leaves its box, no figure is false. */

const looks = movingStyles.flatMap(style => {
  const full = styleTraits[style].ignores.includes('scene') ? [] : [`style=${style}&scene=full`];
  return [...themeNames.map(theme => `style=${style}&theme=${theme}`), ...full];
});
looks.push('scene=strap');
const sizes: readonly Size[] = [
  [1920, 1080],
  [1080, 1920],
];

describe.each(looks)('%s', look => {
  it.each(Object.keys(moments))('is true and legible in every frame of: %s', moment => {
    const faults = tongues.flatMap(tongue =>
      sizes.flatMap(size =>
        faultsOf(moment, tongue, look, size).map(fault => `${tongue}, ${size.join('x')}, ${fault}`),
      ),
    );
    expect(faults.slice(0, 20)).toEqual([]);
  });
});
