import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** Reads docker-compose.yml as `docker compose` does, with the Dockerfile for built services. */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const readShipped = (name: string): string => readFileSync(`${ROOT}${name}`, 'utf8');

/** Of the image that this project builds. */
export const BASE_IMAGE = /^FROM (\S+)/m.exec(readShipped('Dockerfile'))?.[1] as string;

export interface Service {
  readonly name: string;
  /** Undefined for a service built from this project. */
  readonly image: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** For a shell. */
  readonly command: string;
  /** For a shell; code 0 is healthy. */
  readonly health: string | undefined;
  readonly profiles: readonly string[];
  /** Path of a file in the container → its path in the repository. */
  readonly files: Readonly<Record<string, string>>;
  /** Path of a file in the container → its text, written in the compose file. */
  readonly texts: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: a tree without a schema
type Tree = Record<string, any>;

/** @param variables from the shell or `.env` */
export function readComposition(variables: Readonly<Record<string, string>> = {}): readonly Service[] {
  const { services, configs } = filled(parse(readShipped('docker-compose.yml'), { merge: true }), variables);
  const image = readImage();
  return Object.entries(services as Tree).map(([name, service]) => {
    const mounted = (kind: 'file' | 'content') =>
      Object.fromEntries(
        ((service['configs'] ?? []) as { source: string; target: string }[])
          .filter(({ source }) => configs[source][kind] !== undefined)
          .map(({ source, target }) => [target, configs[source][kind] as string]),
      );
    const isOwn = service['build'] !== undefined;
    return {
      name,
      image: service['image'],
      environment: {
        ...(isOwn ? image.environment : {}),
        ...environmentOf(service['environment'] ?? {}, variables),
      },
      command: [...(service['entrypoint'] ?? []).map(quoted), commandOf(commandGiven(service, image))]
        .filter(Boolean)
        .join(' '),
      health: isOwn ? image.health : healthOf(service['healthcheck']?.['test']),
      profiles: service['profiles'] ?? [],
      files: mounted('file'),
      texts: mounted('content'),
    };
  });
}

/** Nothing for an image with an entry point of its own that needs no arguments. */
function commandGiven(service: Tree, image: { readonly command: readonly string[] }) {
  return service['command'] ?? (service['build'] === undefined ? '' : image.command);
}

/** A name without a value is passed on if it is set. */
function environmentOf(given: Tree, variables: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given as Record<string, string | null>).map(
    ([name, value]) => [name, value === null ? variables[name] : `${value}`] as const,
  );
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function commandOf(command: string | readonly string[]): string {
  return typeof command === 'string' ? command : command.map(quoted).join(' ');
}

function healthOf(test: string | readonly string[] | undefined): string | undefined {
  if (!Array.isArray(test)) return undefined;
  const [kind, ...words] = test as string[];
  return kind === 'CMD-SHELL' ? words[0] : commandOf(words);
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

function readImage() {
  const dockerfile = readShipped('Dockerfile').replaceAll('\\\n', '');
  const line = (pattern: RegExp) => pattern.exec(dockerfile)?.[1] ?? '';
  const pairs = line(/^ENV (.*)$/m)
    .split(' ')
    .map(pair => pair.split('=') as [string, string]);
  return {
    environment: Object.fromEntries(pairs),
    command: JSON.parse(line(/^CMD (\[.*\])$/m)) as string[],
    health: line(/^HEALTHCHECK .*? CMD (.*)$/m),
  };
}

/** Substitutes `${A}`, `${A:-else}` and `${A:+instead}` in all texts, and `$$` with `$`. */
function filled(tree: unknown, variables: Readonly<Record<string, string>>): Tree {
  const fill = (node: unknown): unknown => {
    if (typeof node === 'string') return fillText(node, variables);
    if (Array.isArray(node)) return node.map(fill);
    if (node === null || typeof node !== 'object') return node;
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, fill(value)]));
  };
  return fill(tree) as Tree;
}

const VARIABLE = /\$\{(\w+)(?::([-+])([^${}]*))?\}/;
const DOLLAR = '\u0000';

function fillText(text: string, variables: Readonly<Record<string, string>>): string {
  let open = text.replaceAll('$$', DOLLAR);
  for (let found = VARIABLE.exec(open); found; found = VARIABLE.exec(open)) {
    const [all, name = '', sign, other = ''] = found;
    const value = variables[name] ?? '';
    const replacement = sign === '+' ? (value ? other : '') : value || (sign === '-' ? other : '');
    open = open.replace(all, () => replacement);
  }
  if (open.includes('$')) throw new Error(`docker compose would reject this: ${text}`);
  return open.replaceAll(DOLLAR, '$');
}
