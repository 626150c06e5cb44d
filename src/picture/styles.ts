interface StyleTraits {
  /** Names of parameters without effect in this style. */
  readonly ignores: readonly string[];
  /** With `scale=auto` the leader fills its track. */
  readonly leaderFills?: true;
  /** Shows few answers by design, so the footer does not count them. */
  readonly showsFew?: true;
  /** One line across the screen: small title, short counts. */
  readonly isStrip?: true;
  /** Shows something else than results, so a single overlay has it and never a whole show. */
  readonly isApart?: true;
  /**
   * A screen beside the air: opaque and still, with larger type, and with what viewers do not see,
   * such as a lost connection or the next poll.
   */
  readonly isOffAir?: true;
}

/**
 * Every style: parameters, builder, README and tests are derived from this table. A new style is a
 * row here, a script in `draw`, and its row in `draw/panel.ts`.
 */
const table = {
  bars: { ignores: ['answer'] },
  // Columns of a total would leave most of the picture empty.
  columns: { ignores: ['answer'], leaderFills: true },
  donut: { ignores: ['answer', 'scale'] },
  versus: { ignores: ['answer', 'sort', 'top', 'scale', 'turn'] },
  ticker: { ignores: ['answer', 'scale', 'track', 'scene', 'ground'], isStrip: true },
  'big-number': { ignores: ['sort', 'top', 'scale', 'reveal_pause', 'turn'], showsFew: true },
  code: {
    ignores: [
      'answer',
      'scene',
      'ground',
      'sort',
      'top',
      'scale',
      'track',
      'turn',
      'values',
      'decimals',
      'qr',
      'winner',
      'colors',
      'bar',
      'reveal',
      'reveal_pause',
    ],
    showsFew: true,
    isApart: true,
  },
  host: {
    ignores: [
      'answer',
      'theme',
      'scene',
      'ground',
      'title',
      'total',
      'countdown',
      'away',
      'qr',
      'winner',
      'hide',
      'speed',
      'align',
      'valign',
      'width',
      'plate',
      'edge',
      'text',
      'soft',
      'track',
      'accent',
      'stroke',
      'strokewidth',
      'radius',
      'bar',
      'padding',
      'blur',
      'reveal',
      'reveal_pause',
      'logo',
    ],
    isApart: true,
    isOffAir: true,
  },
} satisfies Record<string, StyleTraits>;

export type DrawingStyle = keyof typeof table;
export const styleTraits: Readonly<Record<DrawingStyle, StyleTraits>> = table;
export const drawingStyles = Object.keys(table) as readonly DrawingStyle[];
