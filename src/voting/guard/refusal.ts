/** Why this server turns a request away, in words for the person who sent it. */
const REFUSALS = {
  cross_site: [
    403,
    'This came from another site',
    'Nothing was done. Open the page itself and try it there.',
  ],
  page_not_found: [
    404,
    'There is nothing here',
    'The link may be cut off or mistyped. Check it and open it again.',
  ],
  poll_not_found: [
    404,
    'There is no such poll',
    'It may have been deleted, or the link may be cut off or mistyped. Nothing was counted.',
  ],
  rehearsal: [
    404,
    'Nobody votes here',
    'The votes of the rehearsal poll are simulated. It is there for programs and overlays to be tried with.',
  ],
  not_managing: [
    403,
    'This page is for the creator of the poll',
    'Nothing was changed. Open the link to manage the poll that was shown when it was created.',
  ],
  too_large: [413, 'That was too much at once', 'Nothing was done. Shorten the text and send it again.'],
  bad_request: [400, 'That could not be read', 'Nothing was done. Go back, reload the page and try again.'],
  rate_limited: [
    429,
    'Too many requests from your network',
    'Nothing was done with this one. Wait a moment and try again; what was counted before stays counted.',
  ],
  engine_unavailable: [503, 'We cannot reach the votes right now', 'Nothing is lost. Try again in a moment.'],
  sign_in_unreachable: [
    503,
    'The sign-in cannot be reached right now',
    'Nothing was counted. Try again in a moment.',
  ],
  stopping: [503, 'This server is restarting', 'Nothing is lost. Try again in a moment.'],
  failed: [500, 'Something went wrong on our side', 'Try again in a moment. A vote is never counted twice.'],
} as const satisfies Record<string, readonly [status: number, title: string, advice: string]>;

export type RefusalCode = keyof typeof REFUSALS;

export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly status: number;
  readonly title: string;
  readonly advice: string;
  /** Whole seconds, for `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RefusalCode, details: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    const [status, title, advice] = REFUSALS[code];
    super(title, { cause: details.cause });
    this.name = 'Refusal';
    this.code = code;
    this.status = status;
    this.title = title;
    this.advice = advice;
    this.retryAfterSeconds = details.retryAfterSeconds ?? (status === 503 ? 1 : undefined);
  }
}
