import type { z } from 'zod';
import type { Pressed } from './pressed.ts';

/** Every error of the API: status, and the message unless the code that throws it has a more specific one. */
const ERRORS = {
  invalid_json: [400, 'The body is not valid JSON.'],
  invalid_request: [400, 'The request is not valid.'],
  api_key_required: [401, 'The results are hidden. Send an API key of this poll.'],
  api_key_rejected: [
    403,
    'This API key does not give access to the results. In the URL (?key=) only a view_key works; send any other key in the X-API-Key header.',
  ],
  log_hidden: [403, 'The results are hidden, and so is the log. Send an API key of this poll.'],
  origin_rejected: [
    403,
    'Pages of this origin can read but not write. The operator can allow the origin with CORS_ORIGINS.',
  ],
  poll_not_found: [404, 'There is no poll with this id.'],
  show_not_found: [404, 'There is no show with this name. Create it with POST /api/show.'],
  logo_not_found: [404, 'The show has another logo, or none.'],
  ground_not_found: [404, 'The show has another ground, or none.'],
  webhook_not_found: [404, 'There is no webhook with this id.'],
  log_not_found: [404, 'This poll has no such log. Only polls created with "verifiable": true have one.'],
  tile_not_found: [404, 'The newest checkpoint of this log does not cover this tile.'],
  image_not_found: [404, 'This poll has no such image.'],
  round_not_found: [404, 'This poll has no such round.'],
  answer_not_found: [404, 'This poll has no answer with that id.'],
  route_not_found: [404, 'There is nothing at this URL.'],
  method_not_allowed: [405, 'This URL does not support that method.'],
  idempotency_key_reused: [409, 'This Idempotency-Key was used with another body.'],
  deadline_passed: [
    409,
    'The deadline of this poll has passed. Send a later one or null: {"poll": {"status": "open", "deadline": null}}.',
  ],
  deadline_missing: [
    409,
    'after_deadline needs a deadline. Send one: {"poll": {"results_visibility": "after_deadline", "closes_in": 60}}.',
  ],
  ballots_cast: [
    409,
    'This poll has votes, so answers can be reworded, but not added, removed or moved. Send all of them with their ids, in their order.',
  ],
  choices_impossible: [
    409,
    'A ballot of this poll may have more answers (min_choices, max_choices) than the poll would have. Nothing was changed.',
  ],
  round_begun: [409, 'Another round began meanwhile, so nothing was changed now. Read the poll again.'],
  rounds_full: [409, 'This poll has had 100 rounds, and no more fit. Copy it: POST /api/poll/<id>/copy.'],
  show_name_taken: [409, 'This name is taken. Choose another one, or use the key of that show.'],
  show_changed: [
    409,
    'The show has changed since the version you sent, so nothing was changed now. Read it again and retry if needed.',
  ],
  on_air_changed: [
    409,
    'Another poll is on air than the one you saw, or has just been put on air, so nothing was changed. Read the show again.',
  ],
  poll_changed: [
    409,
    'The poll is not as you saw it, or another press has just changed it, so nothing was changed. Read the show again.',
  ],
  confirm_required: [409, 'This needs {"show": {"confirm": true}}. Nothing was changed.'],
  nothing_on_air: [409, 'Nothing is on air. Put a poll on air first. Nothing was changed.'],
  poll_open: [
    409,
    'Voting is still open, so nothing was revealed. Close it first, or reveal with {"show": {"confirm": true}}.',
  ],
  nothing_to_reveal: [
    409,
    'This poll has no hidden place left, or it has not been closed yet. Nothing was changed.',
  ],
  nothing_to_undo: [409, 'There is no press that could be taken back. Nothing was changed.'],
  request_expired: [
    409,
    'The request arrived after its Request-Expires time, so nothing was changed. Send it again if it is still wanted.',
  ],
  log_open: [409, 'The ballots of the log are published once the poll is closed.'],
  rundown_end: [409, 'This is the last poll of the rundown. Nothing was changed.'],
  rundown_start: [409, 'This is the first poll of the rundown. Nothing was changed.'],
  rundown_full: [409, 'The rundown is full (100 polls). Remove one first.'],
  chat_full: [409, 'All channels for votes from chat are taken. Unlink one first. Nothing was changed.'],
  webhooks_full: [
    409,
    'There are as many webhooks as there may be: 3 of a poll, 10 of a show, 1,000 in all. Delete some first.',
  ],
  precondition_failed: [
    412,
    'This has changed since the ETag in If-Match, so nothing was changed now. Read it again and retry if needed.',
  ],
  body_too_large: [413, 'The body is larger than 128 KiB.'],
  url_too_long: [414, 'The URL is too long: at most 8 KB for URL and headers.'],
  unsupported_media_type: [415, 'Send the body as application/json.'],
  rate_limited: [429, 'Too many requests from this address. Try again later.'],
  headers_too_large: [431, 'The headers are too large: at most 64, and 8 KB for URL and headers.'],
  internal_error: [500, 'Something went wrong on the server.'],
  picture_unavailable: [503, 'Pictures cannot be drawn right now. Try again later.'],
  log_unavailable: [503, 'The log is being built. Try again shortly.'],
  engine_unavailable: [503, 'The results are not available right now. Try again shortly.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** The message of `engine_unavailable` for a request that writes. */
export const NOT_WRITTEN = 'This could not be saved right now. Try again shortly.';

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** One fault of a request: where it is, and how to fix it. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export interface ErrorBody {
  readonly success: 0;
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly issues?: readonly Issue[];
    readonly pressed?: Pressed;
    /** The poll or show was deleted. Without it, what is not found may come back. */
    readonly deleted?: true;
    /** Absent if the bytes were no request. */
    readonly request_id?: string;
  };
}

/** @param name of the value that was checked, if it has no path of its own */
export function invalidRequest(error: z.ZodError, name?: string): PollError {
  const issues = error.issues.map(({ path, message }) => ({ path: name ?? path.join('.'), message }));
  return new PollError('invalid_request', { issues });
}

/** @returns the value as the schema reads it @throws PollError `invalid_request` @param name as in `invalidRequest` */
export function parseOrThrow<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name?: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidRequest(parsed.error, name);
  return parsed.data;
}

export function isEngineUnavailable(error: unknown): boolean {
  return error instanceof PollError && error.code === 'engine_unavailable';
}

/** Errors that only a bug throws, never a connection or a disk. */
const BUGS = [TypeError, ReferenceError, RangeError, SyntaxError];

/** An error that is sent to clients. `engine_unavailable` caused by a bug becomes `internal_error`. */
export class PollError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly issues: readonly Issue[] | undefined;
  /** Another press that came just before. */
  readonly pressed: Pressed | undefined;
  /** Whether what is not found was deleted; undefined where that was not looked up. */
  readonly isDeleted: boolean | undefined;
  /** Whole seconds, for `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** ETag of the resource as it is now. */
  readonly etag: string | undefined;

  constructor(
    code: ErrorCode,
    details: {
      message?: string;
      issues?: readonly Issue[];
      pressed?: Pressed | undefined;
      deleted?: boolean;
      retryAfterSeconds?: number;
      etag?: string;
      cause?: unknown;
    } = {},
  ) {
    const isBug = BUGS.some(bug => details.cause instanceof bug);
    const shown = code === 'engine_unavailable' && isBug ? 'internal_error' : code;
    const [status, message] = ERRORS[shown];
    super((shown === code ? details.message : undefined) ?? message, { cause: details.cause });
    this.name = 'PollError';
    this.code = shown;
    this.status = status;
    this.issues = details.issues;
    this.pressed = details.pressed;
    this.etag = details.etag;
    this.isDeleted = details.deleted;
    const isShort = shown === 'engine_unavailable' || shown === 'log_unavailable';
    this.retryAfterSeconds = details.retryAfterSeconds ?? (isShort ? 1 : undefined);
  }

  toBody(requestId?: string): ErrorBody {
    const { code, message, issues, pressed, isDeleted } = this;
    return {
      success: 0,
      error: {
        code,
        message,
        ...(issues && { issues }),
        ...(pressed && { pressed }),
        ...(isDeleted && { deleted: true as const }),
        ...(requestId && { request_id: requestId }),
      },
    };
  }
}
