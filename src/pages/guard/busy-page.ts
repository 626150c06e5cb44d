import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { basePathOf } from '../../http/base-path.ts';
import { fill } from '../../locales/i18n.ts';
import { type Phrases, phrasesFor } from '../../locales/phrases.ts';
import { SITE_NAME } from '../page/page.ts';
import { FIXED_HEADERS } from '../page/security-headers.ts';

/** Lifetime of the cookie that puts a retry into the queue of returning visitors. */
const TURN_SECONDS = 180;

/** Inline, because each file would be one more request of every waiting visitor. */
const STYLE = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:#f6f7f9;color:#14181f;font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{box-sizing:border-box;max-width:34rem;padding:1.5rem;text-align:center}
h1{margin:0 0 .75rem;font-size:clamp(1.5rem,1.2rem + 1.6vw,2.125rem);line-height:1.2;letter-spacing:-.015em;text-wrap:balance}
p{margin:0 0 .75rem}.quiet{color:#566070}
.bar{height:.375rem;margin:1.5rem 0;border-radius:1rem;overflow:hidden;background:#c9d5f7}
.bar::before{content:"";display:block;width:30%;height:100%;border-radius:1rem;background:#2f5bd7;animation:go 2.4s ease-in-out infinite alternate}
@keyframes go{to{transform:translateX(233%)}}
@media (prefers-reduced-motion:reduce){.bar::before{animation:none;width:100%}}
@media (prefers-color-scheme:dark){body{background:#101318;color:#eceff4}.quiet{color:#a3adbd}.bar{background:#33477f}.bar::before{background:#8fabff}}`;

/** Without scripts, `refresh` reloads the page after whole seconds. */
const RELOAD = 'setTimeout(()=>location.reload(),300)';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(RELOAD)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

interface BusyReply {
  readonly status: number;
  readonly seconds: number;
  readonly script?: string;
  readonly headers?: OutgoingHttpHeaders;
}

/**
 * Replies to rejected requests, in a tenth of the time of a page. Browsers reload it in their turn,
 * with or without scripts.
 */
export class BusyReplies {
  readonly #headers: OutgoingHttpHeaders;

  constructor(voteUrl: string) {
    const secure = voteUrl.startsWith('https:') ? '; Secure' : '';
    const path = basePathOf(voteUrl) || '/';
    this.#headers = {
      ...FIXED_HEADERS,
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'cache-control': 'private, no-store',
      vary: 'accept-language, cookie',
      'set-cookie': `tallycast-turn=1; Max-Age=${TURN_SECONDS}; Path=${path}; HttpOnly; SameSite=Lax${secure}`,
    };
  }

  /** @param waitMs until this visitor's turn */
  send(request: IncomingMessage, response: ServerResponse, waitMs: number): void {
    this.#respond(request, response, { status: 503, seconds: Math.ceil(waitMs / 1_000) });
  }

  /** Sets a cookie and requests a retry with it within a second. @param cookie a `Set-Cookie` header */
  sendCookie(request: IncomingMessage, response: ServerResponse, cookie: string): void {
    // Reloading a sent form would prompt the visitor, and the form could not count.
    const script = request.method === 'GET' ? `<script>${RELOAD}</script>` : '';
    this.#respond(request, response, { status: 429, seconds: 1, script, headers: { 'set-cookie': cookie } });
  }

  #respond(
    request: IncomingMessage,
    response: ServerResponse,
    { status, seconds, script = '', headers }: BusyReply,
  ): void {
    const isPage = request.headers.accept?.includes('text/html') ?? false;
    const body = isPage ? busyPage(phrasesFor(request), seconds, script) : '{"counted":false}';
    response.writeHead(status, {
      ...this.#headers,
      ...headers,
      'retry-after': String(seconds),
      'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
    // The connection can be reused only after the body of a form is read.
    request.resume();
  }
}

function busyPage(
  { language, direction, wording, refusal }: Phrases,
  seconds: number,
  script: string,
): string {
  const { busy } = refusal;
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${seconds}">
<meta name="robots" content="noindex">
<title>${busy.title} - ${SITE_NAME}</title>
<style>${STYLE}</style>${script}
</head>
<body>
<main role="status">
<h1>${busy.heading}</h1>
<p>${fill(busy.text, { time: wording.seconds(seconds) })}</p>
<div class="bar" aria-hidden="true"></div>
<p class="quiet">${busy.quiet}</p>
</main>
</body>
</html>
`;
}
