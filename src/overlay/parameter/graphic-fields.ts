/** What is filled in at a playout server: by these names in OGraf, and as `f0`, `f1` and so on in SPX and CasparCG. */
export const graphicFields = {
  url: {
    title: 'Overlay URL',
    about:
      'Copy it from the overlay builder: it names the relay, the poll or show, how it looks and, behind #, the key.',
  },
  poll: { title: 'Poll', about: 'In place of what the URL names: the id of a poll, or any link to it.' },
  show: { title: 'Show', about: 'In place of what the URL names: the name of a show, or any link to it.' },
  key: { title: 'View key', about: 'Of the poll or show named here, where its results are hidden.' },
  hold: {
    title: 'Keep results back until the next step',
    about: 'Hidden results that a view key opens are kept back in any case.',
  },
} as const;

export type GraphicField = keyof typeof graphicFields;

/** In the order of their numbers. */
export const graphicFieldNames = Object.keys(graphicFields) as readonly GraphicField[];

/** The field that is there or not, in place of a text. */
export const FLAG: GraphicField = 'hold';

export function numberOf(name: GraphicField): string {
  return `f${graphicFieldNames.indexOf(name)}`;
}
