import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { fill } from '../../web/i18n.ts';
import { type Phrases, phrasesFor } from '../../web/phrases.ts';
import { SITE_NAME } from '../page/page.ts';
import { FIXED_HEADERS } from '../page/security-headers.ts';

/** Whoever was asked to come again is let in before who was not, for as long as it may take. */
const TURN_SECONDS = 180;
/** A longer wait nobody sits out; by then the rush may be over. */
const LONGEST_WAIT_MS = 60_000;

/** No file of ours is loaded for it: each would be one more request of everybody who waits. */
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

/** Without scripts `refresh` does it, in whole seconds. */
const RELOAD = 'setTimeout(()=>location.reload(),300)';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(RELOAD)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Whether a person sees the answer, and no script. */
function wantsPage({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') ?? false;
}

interface BusyReply {
  readonly status: number;
  /** Until the request is to be repeated. */
  readonly seconds: number;
  readonly script?: string;
  readonly headers?: OutgoingHttpHeaders;
}

/**
 * Answers those for whom there is no room now, each in about a tenth of the time that a page takes. A browser opens the page
 * again by itself when it is this visitor's turn, with or without scripts; a script sends its ballot again.
 */
export class BusyReplies {
  readonly #headers: OutgoingHttpHeaders;

  constructor(votePublicUrl: string) {
    const secure = votePublicUrl.startsWith('https:') ? '; Secure' : '';
    this.#headers = {
      ...FIXED_HEADERS,
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'cache-control': 'private, no-store',
      vary: 'accept-language, cookie',
      'set-cookie': `tallycast-turn=1; Max-Age=${TURN_SECONDS}; Path=/; HttpOnly; SameSite=Lax${secure}`,
    };
  }

  /** @param waitMs until this visitor's turn */
  send(request: IncomingMessage, response: ServerResponse, waitMs: number): void {
    const seconds = Math.ceil(withinReason(waitMs) / 1_000);
    this.#respond(request, response, { status: 503, seconds });
  }

  /** Sets a cookie and asks for the same request again, with it, within a second. @param cookie a `Set-Cookie` header */
  sendCookie(request: IncomingMessage, response: ServerResponse, cookie: string): void {
    // A form that is sent by a reload would ask its reader first, and nothing of it could count.
    const script = request.method === 'GET' ? `<script>${RELOAD}</script>` : '';
    this.#respond(request, response, { status: 429, seconds: 1, script, headers: { 'set-cookie': cookie } });
  }

  #respond(
    request: IncomingMessage,
    response: ServerResponse,
    { status, seconds, script = '', headers }: BusyReply,
  ): void {
    const page = wantsPage(request);
    const body = page ? busyPage(phrasesFor(request), seconds, script) : '{"counted":false}';
    response.writeHead(status, {
      ...this.#headers,
      ...headers,
      'retry-after': String(seconds),
      'content-type': page ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
    // A form's body is on its way still: the connection is of use again only once that is read.
    request.resume();
  }
}

/** Beyond reason turns are not kept apart exactly, but still spread. */
function withinReason(waitMs: number): number {
  return waitMs <= LONGEST_WAIT_MS ? waitMs : LONGEST_WAIT_MS * (0.5 + Math.random() / 2);
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
