/** What one page may load beyond this server itself. */
export interface PageSources {
  /** Address of the poll's image, which a creator made up. */
  readonly image?: string | null | undefined;
  /** Origins that scripts of the page may read from: the relay. */
  readonly connect?: readonly string[] | undefined;
  /** Origin whose pages this one shows, small: the relay's overlays at a desk. */
  readonly frame?: string | undefined;
  /** Origins of a human check that runs elsewhere. */
  readonly check?: readonly string[] | undefined;
}

export const FIXED_HEADERS = {
  'x-content-type-options': 'nosniff',
  // Not `no-referrer`: that makes browsers send `Origin: null` with our own forms, and where there is no HTTPS the Origin
  // is all that tells them from another site's. To other sites the two are the same: nothing is sent.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
} as const;

/** What every reply of this server carries; a page says for itself what it may load. */
export function securityHeaders(votePublicUrl: string): Readonly<Record<string, string>> {
  return {
    ...FIXED_HEADERS,
    'content-security-policy': contentSecurityPolicy({}),
    ...(votePublicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=15552000' } : {}),
  };
}

export function contentSecurityPolicy({ image, connect = [], frame, check = [] }: PageSources): string {
  const from = (...sources: readonly (string | undefined)[]) =>
    ["'self'", ...sources].filter(Boolean).join(' ');
  return [
    "default-src 'none'",
    `script-src ${from(...check)}`,
    "worker-src 'self'",
    `style-src ${from(...check)}`,
    "font-src 'self'",
    `img-src ${from(hostSource(image))}`,
    `connect-src ${from(...connect, ...check)}`,
    ...(check.length > 0 || frame ? [`frame-src ${[...check, frame].filter(Boolean).join(' ')}`] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Letters, digits and hyphens: what the policy's grammar takes for a host, and underscores, which browsers take as well. */
const HOST_SOURCE = /^https:\/\/[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d{1,5})?$/;

/** URLs allow hosts with semicolons and commas: in a policy those would begin directives of their own. */
function hostSource(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined;
  const { origin } = new URL(url);
  return HOST_SOURCE.test(origin) ? origin : undefined;
}

/** The relay's origin for reading and for its live stream. */
export function relaySources(publicUrl: string): string[] {
  const { origin } = new URL(publicUrl);
  return [origin, origin.replace(/^http/, 'ws')];
}
