import type { Reading } from '../../poll/poll.ts';
import { csv } from './csv.ts';
import { plainText } from './plain-text.ts';
import { resultsRows } from './results-rows.ts';
import { xml } from './xml.ts';

/** The other shapes of the results: all from one reading, so all show the same version. */

export const RESULTS_FORMATS = ['rows', 'csv', 'xml', 'text'] as const;
export type ResultsFormat = (typeof RESULTS_FORMATS)[number];

export interface FormattedResults {
  readonly contentType: string;
  readonly body: string;
}

export function isResultsFormat(name: unknown): name is ResultsFormat {
  return RESULTS_FORMATS.some(format => format === name);
}

/** Shows the counts: the caller has judged that whoever asks may see them. */
export function formatResults(reading: Reading, format: ResultsFormat): FormattedResults {
  const rows = resultsRows(reading);
  switch (format) {
    case 'rows':
      return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(rows) };
    case 'csv':
      return { contentType: 'text/csv; charset=utf-8; header=present', body: csv(rows) };
    case 'xml':
      return { contentType: 'application/xml; charset=utf-8', body: xml(rows) };
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', body: plainText(rows) };
  }
}
