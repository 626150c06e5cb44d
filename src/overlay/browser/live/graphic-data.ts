import { FLAG, graphicFieldNames, numberOf } from '../../../picture/graphic-fields.ts';
import {
  formatOverlayAddress,
  type OverlayTarget,
  parseOverlayAddress,
} from '../../../picture/overlay-address.ts';
import { readLink } from '../../../picture/read-link.ts';

const REHEARSED = ['rehearsal', 'moment', 'cast'];

export interface GraphicData {
  /** URL of an overlay: relay, target and look. */
  readonly url?: string | undefined;
  /** Replace the URL's target: an ID, a name, or any link. `poll` takes precedence. */
  readonly poll?: string | undefined;
  readonly show?: string | undefined;
  /** The view key of hidden results. */
  readonly key?: string | undefined;
  /** Holds all results back until the second step. */
  readonly hold?: boolean | undefined;
}

/** Returns the fields that an object, JSON or CasparCG's XML contains, or undefined where it is none of these. */
export function readGraphicData(data: unknown): GraphicData | undefined {
  const fields = typeof data === 'string' ? (parseJson(data) ?? parseXml(data)) : data;
  if (typeof fields !== 'object' || fields === null) return undefined;
  const given = fields as Record<string, unknown>;
  const read: Record<string, unknown> = {};
  for (const name of graphicFieldNames) {
    const value = given[name] ?? given[numberOf(name)];
    if (name === FLAG && value !== undefined)
      read[name] = value === true || value === '1' || value === 'true';
    else if (typeof value === 'string') read[name] = value.trim();
  }
  return read;
}

/**
 * Returns the overlay's URL, if there is one. A key in `url` only applies to its own target.
 *
 * @throws TypeError for another URL
 */
export function addressOf({ url, poll, show, key }: GraphicData): string | undefined {
  if (!url) return undefined;
  const address = parseOverlayAddress(url);
  const target = poll
    ? targetOf(poll, { kind: 'poll', id: poll })
    : show && targetOf(show, { kind: 'show', name: show });
  const query = new URL(url).searchParams;
  query.delete('key');
  if (!target) return formatOverlayAddress(address.relay, address.target, query, key || address.key);
  for (const name of REHEARSED) query.delete(name);
  return formatOverlayAddress(address.relay, target, query, key || undefined);
}

function targetOf(text: string, otherwise: OverlayTarget): OverlayTarget {
  const link = text.includes('/') ? readLink(text) : undefined;
  return link && 'target' in link ? link.target : otherwise;
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** `<templateData><componentData id="f0"><data id="text" value="…"/></componentData></templateData>` */
function parseXml(data: string): Record<string, string> | undefined {
  const components = new DOMParser().parseFromString(data, 'text/xml').querySelectorAll('componentData');
  const fields = [...components].map(component => [
    component.id,
    component.querySelector('data')?.getAttribute('value') ?? '',
  ]);
  return Object.fromEntries(fields);
}
