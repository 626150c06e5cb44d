import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ServerDraining } from '../../http/readiness.ts';
import { logFault } from '../../http/request-log.ts';
import { refusals } from '../../metrics/catalogue.ts';
import { type ErrorCode, PollError } from '../../poll/poll-error.ts';
import { phrasesFor } from '../../web/phrases.ts';
import { html } from '../page/html.ts';
import { noticeBox } from '../page/notice.ts';
import { type SendPage, SITE_NAME } from '../page/page.ts';
import { Rejection, type RejectionCode } from './rejection.ts';

const CODES_OF_POLL_ERRORS: Partial<Record<ErrorCode, RejectionCode>> = {
  engine_unavailable: 'engine_unavailable',
  rate_limited: 'rate_limited',
  invalid_request: 'bad_request',
  route_not_found: 'page_not_found',
};

/** Turns whatever went wrong into a page that says so; the details go to the log only. */
export function sendRefusal(
  sendPage: SendPage,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = toRefusal(error);
  refusals.of({ surface: 'voting', code: refusal.code }).value += 1;
  if (refusal.status >= 500 && !(error instanceof ServerDraining))
    logFault(request, reply, refusal.code, error);
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds);
  if (reply.raw.headersSent) return reply;
  const phrases = phrasesFor(request);
  const { reasons, toStart } = phrases.refusal;
  const words = reasons[refusal.code];
  return sendPage(reply, refusal.status, {
    phrases,
    title: `${words.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['page.js'],
    body: html`<h1 class="visually-hidden">${SITE_NAME}</h1>
${noticeBox({ tone: 'problem', ...words })}
<p class="actions"><a class="button quiet" href="/">${toStart}</a></p>`,
  });
}

export function toRefusal(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  const retryAfterSeconds = error instanceof PollError ? error.retryAfterSeconds : undefined;
  return new Rejection(refusalCode(error), { cause: error, ...(retryAfterSeconds && { retryAfterSeconds }) });
}

function refusalCode(error: unknown): RejectionCode {
  if (error instanceof PollError) return CODES_OF_POLL_ERRORS[error.code] ?? 'failed';
  const status = (error as Partial<FastifyError> | undefined)?.statusCode ?? 500;
  if (status === 413) return 'too_large';
  if (status === 404 || status === 405) return 'page_not_found';
  if (status === 503) return 'stopping';
  return status >= 400 && status < 500 ? 'bad_request' : 'failed';
}
