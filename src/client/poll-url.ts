export interface PollAddress {
  /** Where the relay is, without a slash at the end. */
  readonly relay: string;
  readonly id: string;
  readonly key: string | undefined;
}

/**
 * Reads the address of a poll from any URL that names it: `…/api/poll/<id>`, `…/overlay/<id>`, and, where relay and voting
 * front end share an address, `…/<id>` and `…/<id>/manage`. The key may stand in the fragment (`#key=…`), where it reaches
 * no log, or in the query (`?key=…`).
 *
 * @throws TypeError where the URL is none of http or https, or names no poll
 */
export function parsePollUrl(url: string | URL): PollAddress {
  const { origin, pathname, hash, searchParams } = httpUrl(url);
  const [, prefix, id] =
    /^(.*?)\/(?:(?:api\/poll|overlay)\/)?([\w-]{1,64})(?:\/(?:live|manage|results))?\/?$/.exec(pathname) ??
    [];
  if (id === undefined) throw new TypeError(`The URL names no poll: ${origin}${pathname}`);
  const key = new URLSearchParams(hash.slice(1)).get('key') ?? searchParams.get('key') ?? undefined;
  return { relay: origin + prefix, id, key };
}

/** `ws` and `wss`, as `links.live` has them, are the same place. @throws TypeError where it is no URL of a relay */
export function httpUrl(url: string | URL): URL {
  const page = (globalThis as { location?: { href: string } }).location;
  const { protocol, href } = new URL(url, page?.href);
  const http = href.replace(/^ws/, 'http');
  if (!/^https?:/.test(http)) throw new TypeError(`Not a URL of http or https, but of ${protocol} ${href}`);
  return new URL(http);
}
