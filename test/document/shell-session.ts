import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { builtFile } from '../support/relay-process.ts';
import { ROOT } from './documents.ts';

/**
 * Lines of a shell as documents have them, run one after the other by bash. The keys and ids that a
 * line prints take the place of `admin_…` and `<poll id>` in those that follow.
 */

const run = promisify(execFile);

/** What stands in the documents, and what finds it in the words of a command. */
const PLACEHOLDERS: readonly [string, RegExp][] = [
  ['<poll id>', /"id":"([\w-]{12})"|^Poll {2,}([\w-]{12})$/m],
  ['admin_…', /\b(admin_[\w-]{20,})/],
  ['view_…', /\b(view_(?!key)[\w-]{20,})/],
  ['show_…', /\b(show_(?!key)[\w-]{20,})/],
];

/** What a reader's machine has, and what would go on for ever, for as long as it takes to see that it works. */
const PRELUDE = `
set -eu
git() { echo cloned; }
cd() { echo entered; }
curl() { command curl -sS --fail-with-body "$@"; }
npm() {
  case "$1" in
    ci) ;;
    start) serve $(node -p "require('./package.json').scripts.start") ;;
    *) command npm "$@" ;;
  esac
}
npx() {
  shift
  case "$1" in
    serve) serve node "$CLI" serve ;;
    watch) node "$CLI" "$@" --once ;;
    *) node "$CLI" "$@" ;;
  esac
}
serve() {
  out=$(mktemp)
  "$@" > "$out" 2>&1 & pid=$!
  until grep -q 'server listening' "$out"; do kill -0 $pid || { cat "$out"; return 1; }; sleep 0.1; done
  kill -TERM $pid
  wait $pid
  rm "$out"
  echo "served and left"
}
`;

export class ShellSession {
  readonly #env: Record<string, string | undefined>;
  readonly #known = new Map<string, string>();
  readonly #addresses: readonly (readonly [string, string])[];

  /** @param addresses what takes the place of the documents' addresses */
  constructor(
    env: Readonly<Record<string, string>>,
    addresses: readonly (readonly [string, string])[],
    known: Readonly<Record<string, string>>,
  ) {
    this.#env = { ...process.env, CLI: builtFile('cli/tallycast.js'), ...env };
    this.#addresses = addresses;
    for (const [placeholder, value] of Object.entries(known)) this.#known.set(placeholder, value);
  }

  /** @returns what every command printed @throws Error where one fails */
  async run(text: string): Promise<string[]> {
    const printed: string[] = [];
    for (const line of text.replaceAll('\\\n', '').split('\n').filter(Boolean)) {
      const command = this.#filled(line);
      // A person pastes what stands in the comment.
      const [, name, value] = /^read -rs (\w+) && export \1 +# paste (\S+)$/.exec(command) ?? [];
      if (name !== undefined) this.#env[name] = value;
      else printed.push(await this.#execute(command));
    }
    return printed;
  }

  #filled(line: string): string {
    const all = [...this.#known, ...this.#addresses];
    return all.reduce((text, [from, to]) => text.replaceAll(from, to), line);
  }

  async #execute(command: string): Promise<string> {
    const { stdout, stderr } = await run('bash', ['-c', `${PRELUDE}\n${command}`], {
      cwd: ROOT,
      env: this.#env,
      encoding: 'utf8',
    }).catch(({ stdout, stderr, code }) => {
      throw new Error(`${command}\nended with ${code}: ${stdout}${stderr}`);
    });
    for (const [placeholder, pattern] of PLACEHOLDERS) {
      const found = pattern.exec(stdout);
      if (found) this.#known.set(placeholder, (found[1] ?? found[2]) as string);
    }
    return stdout + stderr;
  }
}
