import type { GraphicsManifest } from 'ograf';
import { FLAG, graphicFieldNames, graphicFields, numberOf } from './parameter/graphic-fields.ts';

const STEPS = 2;

/** The manifest of the OGraf package (v1). `url` is the overlay that is drawn until another is given. */
export function ografManifest(url: string): GraphicsManifest {
  const fields = graphicFieldNames.map(name => {
    const { title, about: description } = graphicFields[name];
    if (name === FLAG) return [name, { type: 'boolean', title, description, default: false }];
    const value = name === 'url' ? url : '';
    return [name, { type: 'string', gddType: 'single-line', title, description, default: value }];
  });
  return {
    $schema: 'https://ograf.ebu.io/v1/specification/json-schemas/graphics/schema.json',
    id: 'tallycast-poll-results',
    version: '2',
    name: 'Tallycast poll results',
    description:
      'Live results of a poll or a show, drawn as the overlay draws them. Play: in. Next: the results. Stop: out.',
    main: 'graphic.mjs',
    supportsRealTime: true,
    supportsNonRealTime: false,
    stepCount: STEPS,
    schema: { type: 'object', properties: Object.fromEntries(fields) },
    customActions: [
      {
        id: 'reveal',
        name: 'Reveal',
        description: 'Tells the results, from the last place to the first.',
        schema: null,
      },
      {
        id: 'cover',
        name: 'Keep back',
        description: 'Back to what one may vote for, where the results are kept back.',
        schema: null,
      },
    ],
  };
}

/** The definition that SPX reads from the head of its template. */
export function spxDefinition(url: string): object {
  const fields = graphicFieldNames.flatMap(name => {
    const { title, about } = graphicFields[name];
    const field = numberOf(name);
    const control = name === FLAG ? { ftype: 'checkbox', value: '0' } : { ftype: 'textfield', value: '' };
    return [
      { ftype: 'instruction', value: about },
      { field, title, ...control, ...(name === 'url' && { value: url }) },
    ];
  });
  return {
    description: 'Tallycast poll results',
    playserver: 'OVERLAY',
    playchannel: '1',
    playlayer: '10',
    webplayout: '10',
    steps: `${STEPS}`,
    out: 'manual',
    uicolor: '4',
    dataformat: 'json',
    DataFields: fields,
  };
}
