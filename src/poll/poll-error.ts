/** The one table of errors. Code throws by name; the server's error handler turns them into replies. */
const ERRORS = {
  invalid_json: [400, 'The body is not valid JSON.'],
  invalid_request: [400, 'The request is not valid.'],
  api_key_required: [401, 'These results are hidden. Send the API key of this poll.'],
  api_key_rejected: [
    403,
    'This API key does not open these results. In an address (?key=) only a view_key does: send any other in a header, X-API-Key.',
  ],
  origin_rejected: [
    403,
    'Pages of this origin may read here, and change nothing. The operator can allow the origin: CORS_ORIGINS.',
  ],
  poll_not_found: [404, 'There is no poll with this id.'],
  show_not_found: [404, 'There is no show of this name. POST /api/show takes it.'],
  route_not_found: [404, 'There is nothing at this address.'],
  method_not_allowed: [405, 'This address does not take that method.'],
  idempotency_key_reused: [409, 'This Idempotency-Key was used with another body.'],
  deadline_passed: [
    409,
    'The deadline of this poll has passed. Send a later one with it, or null: {"poll": {"status": "open", "deadline": null}}.',
  ],
  deadline_missing: [
    409,
    'Results can wait for a deadline only where the poll has one. Send one with it: {"poll": {"results_visibility": "after_deadline", "closes_in": 60}}.',
  ],
  show_name_taken: [409, 'This name is taken. Choose another one, or use the key of the show that has it.'],
  show_changed: [
    409,
    'Somebody else has changed this show meanwhile, and nothing was changed now. Look at it, and do it again if it is still right.',
  ],
  request_expired: [
    409,
    'This came later than its Request-Expires allows, and nothing was changed. Send it again if it is still wanted.',
  ],
  rundown_end: [409, 'The run-down is at its end: no poll comes after this one. Nothing was changed.'],
  rundown_start: [409, 'The run-down is at its start: no poll comes before this one. Nothing was changed.'],
  rundown_full: [409, 'A run-down holds 100 polls, and this one is full. Take one out first.'],
  body_too_large: [413, 'The body is larger than 128 KiB.'],
  unsupported_media_type: [415, 'Send the body as application/json.'],
  rate_limited: [429, 'Too many requests from this address. Try again later.'],
  internal_error: [500, 'Something went wrong on our side.'],
  engine_unavailable: [503, 'The results cannot be read right now. Try again shortly.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** What `engine_unavailable` says where something was to be stored. */
export const NOT_WRITTEN = 'That cannot be written right now. Try again shortly.';

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** All of them as a Markdown table, for the API's README. */
export function errorTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, [status, message]]) => `| ${status} | \`${code}\` | ${message} |`,
  );
  return ['| status | code | as a rule it says |', '| --- | --- | --- |', ...rows].join('\n');
}

/** One fault of a request: where, and what to do about it. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export interface ErrorBody {
  readonly success: 0;
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly issues?: readonly Issue[] };
}

/** The engine cannot answer now, which is no fault of this program. */
export function isEngineUnavailable(error: unknown): boolean {
  return error instanceof PollError && error.code === 'engine_unavailable';
}

/** What only a fault of this program throws, never a connection or a disk. */
const OWN_FAULTS = [TypeError, ReferenceError, RangeError, SyntaxError];

/** `engine_unavailable` that a fault of this program has caused is `internal_error`. */
export class PollError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly issues: readonly Issue[] | undefined;
  /** Whole seconds, for `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    details: {
      message?: string;
      issues?: readonly Issue[];
      retryAfterSeconds?: number;
      cause?: unknown;
    } = {},
  ) {
    const isOwnFault = OWN_FAULTS.some(fault => details.cause instanceof fault);
    const shown = code === 'engine_unavailable' && isOwnFault ? 'internal_error' : code;
    const [status, message] = ERRORS[shown];
    super((shown === code ? details.message : undefined) ?? message, { cause: details.cause });
    this.name = 'PollError';
    this.code = shown;
    this.status = status;
    this.issues = details.issues;
    this.retryAfterSeconds = details.retryAfterSeconds ?? (shown === 'engine_unavailable' ? 1 : undefined);
  }

  toBody(): ErrorBody {
    const error = { code: this.code, message: this.message };
    return { success: 0, error: this.issues ? { ...error, issues: this.issues } : error };
  }
}
