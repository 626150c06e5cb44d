import type { FastifyRequest } from 'fastify';
import { keyOfRequest } from '../http/presented-key.ts';
import type { ShowAccess } from '../show/rewrite-show.ts';
import type { Show } from '../show/shows.ts';
import type { ApiOptions } from './api-options.ts';
import { refuseLate } from './request-expiry.ts';

/** What the operations of a show have in common. */

export const SHOW_PATH = '/api/show/:name';

export interface ShowParams {
  readonly Params: { readonly name: string };
}

export function accessOf(request: FastifyRequest, { isOperatorKey }: ApiOptions): ShowAccess {
  return { key: keyOfRequest(request), isOperatorKey, refuseLate: () => refuseLate(request) };
}

/** For everybody. */
export function showBody({ name, title, onAir }: Show) {
  return { success: 1, name, title, on_air: onAir };
}

/** For those who have the key. */
export function wholeShowBody(show: Show) {
  const { rundown, own, place, version } = show;
  return { ...showBody(show), rundown, own, place, version };
}
