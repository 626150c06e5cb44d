import { readParameters, type Settings } from './read-parameters.ts';

/** What an overlay follows: one poll, whatever a show points to, or simulated votes. */
export type OverlayTarget =
  | { readonly kind: 'poll'; readonly id: string }
  | { readonly kind: 'show'; readonly name: string }
  | { readonly kind: 'rehearsal' };

/** Everything that an overlay's URL says. */
export interface OverlayAddress {
  /** Where the relay is, without a slash at the end. */
  readonly relay: string;
  readonly target: OverlayTarget;
  readonly settings: Settings;
  readonly key: string | undefined;
  /** A small picture at a producer's desk, which is not counted among the screens. */
  readonly preview: boolean;
}

const PATH = /^(.*?)\/overlay\/(?:show\/)?([^/]+)\/?$/;
const SHOW = /\/overlay\/show\/[^/]+\/?$/;

/**
 * Reads an overlay's URL: `<relay>/overlay/<id>?…#key=…` or `<relay>/overlay/show/<name>?…#key=…`.
 *
 * @throws TypeError where it is no URL of an overlay
 */
export function parseOverlayAddress(url: string): OverlayAddress {
  const { origin, pathname, hash, searchParams } = new URL(url);
  const [, prefix, last] = PATH.exec(pathname) ?? [];
  if (last === undefined) throw new TypeError(`This is no overlay: ${origin}${pathname}`);
  const { settings } = readParameters(searchParams);
  const fragment = new URLSearchParams(hash.slice(1));
  return {
    relay: `${origin}${prefix}`,
    target: readTarget(pathname, decode(last), settings),
    settings,
    key: fragment.get('key') || undefined,
    preview: fragment.has('preview'),
  };
}

function readTarget(pathname: string, last: string, settings: Settings): OverlayTarget {
  if (settings.rehearsal) return { kind: 'rehearsal' };
  return SHOW.test(pathname) ? { kind: 'show', name: last } : { kind: 'poll', id: last };
}

/** A stray percent sign is part of a bad id, not a reason to draw nothing. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The URL of an overlay. Defaults are left out, and the key goes behind `#`, where it reaches no log. */
export function formatOverlayAddress(
  relay: string,
  target: OverlayTarget,
  query: URLSearchParams,
  key: string | undefined,
): string {
  const search = query.size > 0 ? `?${query}` : '';
  const fragment = key ? `#${new URLSearchParams({ key })}` : '';
  return `${relay}/overlay/${pathOf(target)}${search}${fragment}`;
}

function pathOf(target: OverlayTarget): string {
  switch (target.kind) {
    case 'poll':
      return encodeURIComponent(target.id);
    case 'show':
      return `show/${encodeURIComponent(target.name)}`;
    case 'rehearsal':
      return 'rehearsal';
  }
}
