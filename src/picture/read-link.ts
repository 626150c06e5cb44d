import type { Catalogue } from '../locales/catalogues.ts';
import { SHOW_NAME } from '../poll/poll.ts';
import { type OverlayTarget, parseOverlayAddress } from './overlay-address.ts';

type Words = Catalogue['builder'];
type LinkKind = keyof Words['links'];

export interface Link {
  /** Undefined for a builder URL without poll and show. */
  readonly what: LinkKind | undefined;
  readonly target: OverlayTarget;
  /** URL of the relay, if the link contains it. */
  readonly relay?: string | undefined;
  readonly viewKey?: string | undefined;
  readonly showKey?: string | undefined;
  /** It contained a key with more rights than reading, which was left out. */
  readonly leavesKey?: boolean | undefined;
  readonly look?: URLSearchParams | undefined;
  /** It is the builder's own URL. */
  readonly own?: boolean | undefined;
  /** It may be a poll ID or a show name. */
  readonly either?: boolean | undefined;
}

export interface NoLink {
  readonly fault: keyof Words['faults'];
}

const ID = '[0-9A-Za-z]{12}|rehearsal(?:-[0-9A-Za-z]{12})?';
const POLL_ID = new RegExp(`^(?:${ID})$`);
const POLL_PATH = new RegExp(`/(api/poll/|overlay/)?(${ID})(?:/([\\w.-]+))?/?$`);
const SHOW_PATH = new RegExp(
  `/(api/show|overlay/show|show|desk)/(${SHOW_NAME.source.slice(1, -1)})(?:/([\\w.-]+))?/?$`,
);
const BUILDER_PATH = /\/overlay\/?$/;
const WIDGET = /<poll-results\b([^>]*)>/;
const FRAME = /<iframe\b[^>]*\bsrc="([^"]+)"/;
const KEY = /^(view|admin|show|op)_/;
/** By the last part of a poll's or show's path. */
const PAGES: Readonly<Record<string, LinkKind>> = {
  results: 'results',
  manage: 'manage',
  share: 'share',
  live: 'live',
  'qr.svg': 'code',
  'qr.png': 'code',
  'qr.json': 'code',
};

/** Recognizes any URL of a relay or voting server, HTML of a widget or frame, a poll ID, a show name. */
export function readLink(pasted: string): Link | NoLink {
  const text = pasted.trim();
  if (text.startsWith('<')) return readMarkup(text);
  if (KEY.test(text)) return { fault: 'keyAlone' };
  if (/^(https?|wss?|file):\/\//i.test(text)) return readUrl(text);
  if (POLL_ID.test(text)) {
    return { what: 'pollId', target: { kind: 'poll', id: text }, either: SHOW_NAME.test(text) };
  }
  if (SHOW_NAME.test(text)) return { what: 'showName', target: { kind: 'show', name: text } };
  if (/^[^\s/]+\.[^\s/]+\/|^localhost(:\d+)?\//.test(text)) return readUrl(`https://${text}`);
  return { fault: 'noLink' };
}

function readMarkup(text: string): Link | NoLink {
  const source = FRAME.exec(text)?.[1];
  if (source !== undefined) return readLink(source.replaceAll('&amp;', '&'));
  const attributes = WIDGET.exec(text)?.[1];
  const attribute = (name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(attributes ?? '')?.[1];
  const poll = attribute('poll');
  const show = attribute('show');
  const key = attribute('view-key');
  const what = 'widget';
  if (poll) return { what, target: { kind: 'poll', id: poll }, viewKey: key };
  if (show) return { what, target: { kind: 'show', name: show }, viewKey: key };
  return { fault: 'widget' };
}

function readUrl(text: string): Link | NoLink {
  const url = parseUrl(text);
  if (!url) return { fault: 'address' };
  const { pathname, searchParams } = url;
  const inside = searchParams.get('url') || url.hash.slice(1);
  if (pathname.endsWith('loader.html') && inside !== '') return readLink(inside);
  if (BUILDER_PATH.test(pathname)) return readBuilder(url);
  const named = readShow(url) ?? readPoll(url);
  if (named) return { ...named, ...readKey(url) };
  return { fault: faultOf(url) };
}

function readShow(url: URL): Link | undefined {
  const [path, place, name = '', page] = SHOW_PATH.exec(url.pathname) ?? [];
  if (path === undefined) return undefined;
  const target = { kind: 'show', name } as const;
  if (place === 'overlay/show') return readOverlay(url);
  const relay = place === 'api/show' ? relayOf(url, path) : undefined;
  if (place === 'desk') return { what: 'desk', target };
  return { what: PAGES[page ?? ''] ?? (place === 'show' ? 'audience' : 'api'), target, relay };
}

function readPoll(url: URL): Link | undefined {
  const [path, place, id = '', page] = POLL_PATH.exec(url.pathname) ?? [];
  if (path === undefined) return undefined;
  if (place === 'overlay/') return readOverlay(url);
  const relay = place === undefined ? undefined : relayOf(url, path);
  const what = PAGES[page ?? ''] ?? (place === undefined ? 'voting' : 'api');
  return { what, target: { kind: 'poll', id }, relay };
}

function readOverlay(url: URL): Link {
  const { target, relay } = parseOverlayAddress(url.href);
  const look = new URLSearchParams(url.search);
  look.delete('key');
  return { what: 'overlay', target, relay, look };
}

/** The builder stores its state in its own URL. */
function readBuilder(url: URL): Link | NoLink {
  const look = new URLSearchParams(url.search);
  const poll = look.get('poll');
  const show = look.get('show');
  for (const name of ['poll', 'show', 'key']) look.delete(name);
  const rest = { look, own: true, relay: relayOf(url, '/overlay'), ...readKey(url) };
  if (poll) return { ...rest, what: 'poll', target: { kind: 'poll', id: poll } };
  if (show) return { ...rest, what: 'show', target: { kind: 'show', name: show } };
  return { ...rest, what: undefined, target: { kind: 'rehearsal' } };
}

function readKey({ hash, searchParams }: URL): Pick<Link, 'viewKey' | 'showKey' | 'leavesKey'> {
  const inFragment = new URLSearchParams(hash.slice(1)).get('key');
  const key = inFragment ?? searchParams.get('key');
  if (!key) return {};
  if (inFragment?.startsWith('show_')) return { showKey: inFragment };
  return key.startsWith('view_') ? { viewKey: key } : { leavesKey: true };
}

function relayOf({ protocol, host, pathname }: URL, path: string): string {
  const prefix = pathname.slice(0, pathname.indexOf(path));
  return `${protocol.replace('ws', 'http')}//${host}${prefix}`;
}

function faultOf({ pathname }: URL): NoLink['fault'] {
  if (/\/new\/?$/.test(pathname)) return 'newPage';
  if (/\/api\/live\/?$/.test(pathname)) return 'allPolls';
  return /\/(widget|client)\.js$/.test(pathname) ? 'script' : 'elsewhere';
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
