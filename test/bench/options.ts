import { parseArgs } from 'node:util';

/** @param benches the names that `--only` knows */
export function usage(benches: readonly string[]): string {
  return `Usage: npm run bench -- [options]

  --only <a,b>     benches: ${benches.join(', ')}
  --contender <a,b> contenders of fan-out and crowd, by the beginning of their names
  --runs <n>       runs of which medians are taken (default 5)
  --quick          tiny sizes and one run: shows that everything works
  --json           prints the report as JSON
  --out <file>     writes the report as JSON to a file as well
  --dist <folder>  measures another build than dist/
  --profile <dir>  has the relay write a CPU profile there (fan-out, crowd, storm, hall, verifiable)

BENCH_DEBUG=1 shows what servers say.
`;
}

export interface Options {
  readonly only: readonly string[] | undefined;
  readonly contender: readonly string[] | undefined;
  readonly runs: number;
  readonly quick: boolean;
  readonly json: boolean;
  readonly out: string | undefined;
  readonly dist: string | undefined;
  readonly profile: string | undefined;
  readonly help: boolean;
}

/** @throws TypeError for an option that does not exist */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      contender: { type: 'string' },
      runs: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      out: { type: 'string' },
      dist: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const runs = Number(values.runs ?? (values.quick ? 1 : 5));
  if (!Number.isInteger(runs) || runs < 1) throw new TypeError('--runs must be a whole number');
  return {
    runs,
    only: values.only?.split(','),
    contender: values.contender?.split(','),
    quick: values.quick,
    json: values.json,
    out: values.out,
    dist: values.dist,
    profile: values.profile,
    help: values.help,
  };
}
