export interface PollAddress {
  /** Where the relay is, without a slash at the end. */
  readonly relay: string;
  readonly id: string;
  readonly key: string | undefined;
}

/** A page or stream of ours without the id of a poll: of a show, or with the id left out. */
const NO_POLL =
  /\/(?:api\/poll|api\/live|overlay|(?:api\/|overlay\/)?(?:show|desk)(?:\/[\w-]+)?)(?:\/+(?:live|manage|results))?\/*$/;
const POLL_PATH = /^(.*?)\/(?:(?:api\/poll|overlay)\/)?([\w-]{1,64})(?:\/(?:live|manage|results))?\/?$/;

/**
 * Reads the address of a poll from any URL that names it: `…/api/poll/<id>`, `…/overlay/<id>`, and, where relay and voting
 * front end share an address, `…/<id>` and `…/<id>/manage`. The key may stand in the fragment (`#key=…`), where it reaches
 * no log, or in the query (`?key=…`).
 *
 * @throws TypeError where the URL is none of http or https, or names no poll
 */
export function parsePollUrl(url: string | URL): PollAddress {
  const { origin, pathname, hash, searchParams } = httpUrl(url);
  const [, prefix, id] = (NO_POLL.test(pathname) ? null : POLL_PATH.exec(pathname)) ?? [];
  if (id === undefined) throw new TypeError(`The URL names no poll: ${origin}${pathname}`);
  const key = new URLSearchParams(hash.slice(1)).get('key') ?? searchParams.get('key') ?? undefined;
  return { relay: origin + prefix, id, key };
}

/** `ws` and `wss`, as `links.live` has them, are the same place. @throws TypeError where it is no URL of a relay */
export function httpUrl(url: string | URL): URL {
  const page = (globalThis as { location?: { href: string } }).location;
  const http = new URL(url, page?.href).href.replace(/^ws/, 'http');
  if (!/^https?:/.test(http)) throw new TypeError(`Not an http or https URL: ${http}`);
  return new URL(http);
}
