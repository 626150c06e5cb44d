import { hash } from 'node:crypto';

/** The sources that one page may load from, in addition to this server. */
export interface PageSources {
  /** URL of the poll's image, from its creator. */
  readonly image?: string | null | undefined;
  /** Origin of the logos of shows: the relay. */
  readonly logo?: string | undefined;
  /** An inline style sheet. */
  readonly style?: string | undefined;
  /** Origins for `fetch` and WebSockets: the relay. */
  readonly connect?: readonly string[] | undefined;
  /** Origin of framed pages: the relay's overlays on the desk. */
  readonly frame?: string | undefined;
  readonly check?: readonly string[] | undefined;
}

const FILE_HEADERS = {
  'x-content-type-options': 'nosniff',
  // Not `no-referrer`: with it browsers send `Origin: null` with our own forms, and on plain HTTP only the Origin
  // distinguishes them from another site's.
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Policy of scripts, styles and fonts: a worker has that of its own file, and needs nothing else. */
const FILE_POLICY = "default-src 'none'";

/** Headers of pages that have no effect on scripts, styles and fonts. */
const DOCUMENT_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
} as const;

export const FIXED_HEADERS = { ...FILE_HEADERS, ...DOCUMENT_HEADERS } as const;

/** Headers of every reply; pages replace the policy. */
export function securityHeaders(voteUrl: string, isFile = false): Readonly<Record<string, string>> {
  return {
    ...(isFile ? FILE_HEADERS : FIXED_HEADERS),
    'content-security-policy': isFile ? FILE_POLICY : contentSecurityPolicy({}),
    ...(voteUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=15552000' } : {}),
  };
}

export function contentSecurityPolicy(sources: PageSources): string {
  const { image, logo, style, connect = [], frame, check = [] } = sources;
  const from = (...sources: readonly (string | undefined)[]) =>
    ["'self'", ...sources].filter(Boolean).join(' ');
  return [
    "default-src 'none'",
    `script-src ${from(...check)}`,
    "worker-src 'self'",
    `style-src ${from(...check, style && `'sha256-${hash('sha256', style, 'base64')}'`)}`,
    "font-src 'self'",
    `img-src ${from(hostSource(image), logo)}`,
    `connect-src ${from(...connect, ...check)}`,
    ...(check.length > 0 || frame ? [`frame-src ${[...check, frame].filter(Boolean).join(' ')}`] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The host grammar of CSP, and underscores, which browsers accept as well. */
const HOST_SOURCE = /^https:\/\/[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d{1,5})?$/;

/** URLs allow hosts with semicolons and commas, which would inject directives into the policy. */
function hostSource(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined;
  const { origin } = new URL(url);
  return HOST_SOURCE.test(origin) ? origin : undefined;
}

/** Returns the relay's origins for HTTP and for its live stream. */
export function relaySources(relayUrl: string): string[] {
  const { origin } = new URL(relayUrl);
  return [origin, origin.replace(/^http/, 'ws')];
}
