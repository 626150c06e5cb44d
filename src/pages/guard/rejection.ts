import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ServerDraining } from '../../http/readiness.ts';
import { logFault } from '../../http/request-log.ts';
import { phrasesFor } from '../../locales/phrases.ts';
import { refusals } from '../../metrics/catalogue.ts';
import { type ErrorCode, PollError } from '../../poll/poll-error.ts';
import { html } from '../page/html.ts';
import { GONE_STATUS } from '../page/messages.ts';
import { noticePage } from '../page/notice-page.ts';
import type { SendPage } from '../page/page.ts';

/** Why this server rejects a request. The texts are in the phrases. */
const STATUSES = {
  cross_site: 403,
  page_not_found: 404,
  poll_not_found: 404,
  rehearsal: 404,
  not_managing: 403,
  too_large: 413,
  bad_request: 400,
  rate_limited: 429,
  engine_unavailable: 503,
  sign_in_unreachable: 503,
  stopping: 503,
  failed: 500,
} as const;

type RejectionCode = keyof typeof STATUSES;

const CODES_OF_POLL_ERRORS: Partial<Record<ErrorCode, RejectionCode>> = {
  engine_unavailable: 'engine_unavailable',
  rate_limited: 'rate_limited',
  invalid_request: 'bad_request',
  route_not_found: 'page_not_found',
  show_not_found: 'page_not_found',
};

export class Rejection extends Error {
  readonly code: RejectionCode;
  readonly status: number;
  /** Whether the missing poll or show was deleted. Undefined for other rejections. */
  readonly isDeleted: boolean | undefined;
  /** Whole seconds, for `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: RejectionCode,
    details: {
      status?: number;
      retryAfterSeconds?: number | undefined;
      isDeleted?: boolean | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(code, { cause: details.cause });
    this.name = 'Rejection';
    this.code = code;
    this.isDeleted = details.isDeleted;
    this.status = details.isDeleted ? GONE_STATUS : (details.status ?? STATUSES[code]);
    this.retryAfterSeconds = details.retryAfterSeconds ?? (this.status === 503 ? 1 : undefined);
  }

  static from(error: unknown): Rejection {
    if (error instanceof Rejection) return error;
    if (!(error instanceof PollError)) return new Rejection(codeOf(error), { cause: error });
    const { status, isDeleted, retryAfterSeconds } = error;
    return new Rejection(codeOf(error), { cause: error, status, isDeleted, retryAfterSeconds });
  }
}

function codeOf(error: unknown): RejectionCode {
  if (error instanceof PollError)
    return CODES_OF_POLL_ERRORS[error.code] ?? (error.status < 500 ? 'bad_request' : 'failed');
  const status = (error as Partial<FastifyError> | undefined)?.statusCode ?? 500;
  if (status === 413) return 'too_large';
  if (status === 404 || status === 405) return 'page_not_found';
  if (status === 503) return 'stopping';
  return status >= 400 && status < 500 ? 'bad_request' : 'failed';
}

/** Sends the page of an error. Details are only logged. */
export function sendRejection(
  sendPage: SendPage,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { code, status, isDeleted, retryAfterSeconds } = Rejection.from(error);
  refusals.of({ surface: 'voting', code }).value += 1;
  if (status >= 500 && !(error instanceof ServerDraining)) logFault(request, code, error);
  // No hook has run for a malformed URL.
  reply.header('x-request-id', request.id);
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  if (reply.raw.headersSent) return reply;
  const phrases = phrasesFor(request);
  // The engine may have lost it and get it back.
  const mayReturn = isDeleted === false && request.method === 'GET';
  const { reasons, toStart } = phrases.refusal;
  // The key opens a session again.
  const toKey = code === 'not_managing' && `${(request.params as { id: string }).id}/manage`;
  const next = html`<p class="actions"${mayReturn && html` data-may-return`}><a class="button quiet" href="/${toKey}">${toKey ? phrases.manage.key.heading : toStart}</a></p>`;
  return sendPage(reply, status, noticePage(phrases, { tone: 'problem', ...reasons[code] }, next));
}
