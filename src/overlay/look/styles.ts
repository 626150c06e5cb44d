import type { ParameterName } from '../parameter/parameters.ts';

export const drawingStyles = ['bars', 'columns', 'donut', 'versus', 'ticker', 'big-number', 'code'] as const;
export type DrawingStyle = (typeof drawingStyles)[number];

interface StyleTraits {
  /** Parameters without effect in this style. */
  readonly ignores: readonly ParameterName[];
  /** With `scale=auto` the leader fills its track. */
  readonly leaderFills?: true;
  /** Shows few answers by design, so the footer does not count them. */
  readonly showsFew?: true;
  /** One line across the screen: small title, short counts. */
  readonly isStrip?: true;
}

/**
 * Every style, for parameters, builder and tests. A new style is a name and a row here, its drawing in
 * `browser/drawing/styles.ts`, and a script and a style sheet of its own beside that.
 */
export const styleTraits: Readonly<Record<DrawingStyle, StyleTraits>> = {
  bars: { ignores: ['answer', 'turn'] },
  // Columns of a total would leave most of the picture empty.
  columns: { ignores: ['answer', 'turn'], leaderFills: true },
  donut: { ignores: ['answer', 'scale', 'turn'] },
  versus: { ignores: ['answer', 'sort', 'top', 'scale', 'turn'] },
  ticker: { ignores: ['answer', 'scale', 'track'], isStrip: true },
  'big-number': { ignores: ['sort', 'top', 'scale', 'turn'], showsFew: true },
  code: {
    ignores: [
      ...(['answer', 'sort', 'top', 'scale', 'track', 'turn', 'values', 'decimals', 'qr', 'winner'] as const),
      ...(['colors', 'patterns', 'bar', 'reveal'] as const),
    ],
    showsFew: true,
  },
};
