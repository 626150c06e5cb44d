/** Fields of the playout templates: by name in OGraf, as `f0`, `f1` and so on in SPX and CasparCG. */
export const graphicFields = {
  url: {
    title: 'Overlay URL',
    about:
      'URL of an overlay, from the overlay builder. It contains the relay, the poll or show, the design and the key.',
  },
  poll: {
    title: 'Poll',
    about: 'Replaces the poll or show of the URL: the ID of a poll, or any link to it.',
  },
  show: {
    title: 'Show',
    about: 'Replaces the poll or show of the URL: the name of a show, or any link to it.',
  },
  key: { title: 'View key', about: 'For hidden results of the poll or show above.' },
  hold: {
    title: 'Hold results back until the next step',
    about: 'Applies to public results too. Results that need a view key are always held back.',
  },
} as const;

export type GraphicField = keyof typeof graphicFields;

export const graphicFieldNames = Object.keys(graphicFields) as readonly GraphicField[];

/** The only field that is a boolean. */
export const FLAG: GraphicField = 'hold';

export function numberOf(name: GraphicField): string {
  return `f${graphicFieldNames.indexOf(name)}`;
}
