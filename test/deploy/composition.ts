import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** What is shipped for deployments. */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const readShipped = (name: string): string => readFileSync(`${ROOT}${name}`, 'utf8');

/** Of the image that this project builds. */
export const BASE_IMAGE = /^FROM (\S+)/m.exec(readShipped('Dockerfile'))?.[1] as string;

// biome-ignore lint/suspicious/noExplicitAny: a tree without a schema
type Tree = Record<string, any>;

/** docker-compose.yml as `docker compose` reads it. @param variables from the shell or `.env` */
export function readComposition(variables: Readonly<Record<string, string>> = {}): Tree {
  const composition = filled(parse(readShipped('docker-compose.yml'), { merge: true }), variables);
  for (const { environment = {} } of Object.values<Tree>(composition['services']))
    for (const [name, value] of Object.entries(environment)) {
      // A name without a value is passed on if it is set.
      if (value === null && variables[name] === undefined) delete environment[name];
      else environment[name] = value ?? variables[name];
    }
  return composition;
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
