/** Why this server turns a request away. What is said of it is in the phrases. */
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

export type RejectionCode = keyof typeof STATUSES;

export class Rejection extends Error {
  readonly code: RejectionCode;
  readonly status: number;
  /** Whole seconds, for `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RejectionCode, details: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(code, { cause: details.cause });
    this.name = 'Refusal';
    this.code = code;
    this.status = STATUSES[code];
    this.retryAfterSeconds = details.retryAfterSeconds ?? (this.status === 503 ? 1 : undefined);
  }
}
