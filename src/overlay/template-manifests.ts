const FIELD_ABOUT =
  'Copy it from the overlay builder: it names the relay, the poll or show, how it looks and, behind #, the key.';

/** The manifest of the OGraf package (v1). `url` is the overlay that is drawn until another is given. */
export function ografManifest(url: string): object {
  return {
    $schema: 'https://ograf.ebu.io/v1/specification/json-schemas/graphics/schema.json',
    id: 'tallycast-poll-results',
    version: '1',
    name: 'Tallycast poll results',
    description: 'Live results of a poll, drawn as the overlay draws them.',
    main: 'graphic.mjs',
    supportsRealTime: true,
    supportsNonRealTime: false,
    stepCount: 1,
    schema: {
      type: 'object',
      properties: {
        url: {
          type: 'string',
          gddType: 'single-line',
          title: 'Overlay URL',
          description: FIELD_ABOUT,
          default: url,
        },
      },
    },
    customActions: [],
  };
}

/** The definition that SPX reads from the head of its template. */
export function spxDefinition(url: string): object {
  return {
    description: 'Tallycast poll results',
    playserver: 'OVERLAY',
    playchannel: '1',
    playlayer: '10',
    webplayout: '10',
    steps: '1',
    out: 'manual',
    uicolor: '4',
    dataformat: 'json',
    DataFields: [
      { ftype: 'instruction', value: FIELD_ABOUT },
      { field: 'f0', ftype: 'textfield', title: 'Overlay URL', value: url },
    ],
  };
}
