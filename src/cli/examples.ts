/** The end of a help text: lines to try. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map(line => `  $ ${line}`)].join('\n');
}
