import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PollError } from '../poll/poll-error.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Accepts JSON also as text/plain or without a content type, in UTF-8 and uncompressed; a wrong
 * guess would store broken text.
 */
export function acceptSloppyJson(app: FastifyInstance): void {
  acceptJson(app, ({ method }) => method === 'DELETE');
}

/** The same if a body is optional: buttons send a content type with or without one. */
export function acceptOptionalJson(app: FastifyInstance): void {
  acceptJson(app, () => true);
}

/** Ignores bodies of any type. */
export function ignoreBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, __, done) => done(null));
}

/** @param mayBeEmpty whatever the content type is */
function acceptJson(app: FastifyInstance, mayBeEmpty: (request: FastifyRequest) => boolean): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['application/json', 'text/plain'], { parseAs: 'buffer' }, parse);
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (request.headers['content-type'] === undefined) parse(request, body, done);
    else if (body.length === 0 && mayBeEmpty(request)) done(null);
    else done(new PollError('unsupported_media_type'), undefined);
  });

  function parse(
    request: FastifyRequest,
    body: string | Buffer,
    done: (error: Error | null, value?: unknown) => void,
  ): void {
    const text = decode(request, body);
    if (body.length === 0 && mayBeEmpty(request)) done(null);
    else if (text instanceof PollError) done(text);
    else
      void parseJson(request, text, (error, value) =>
        done(error ? new PollError('invalid_json', { message: jsonFault(text) }) : null, value),
      );
  }
}

function decode({ headers }: FastifyRequest, body: string | Buffer): string | PollError {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '')
    return new PollError('unsupported_media_type', { message: 'Send the body uncompressed.' });
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8')
    return new PollError('unsupported_media_type', { message: 'Send the body in UTF-8.' });
  try {
    const text = typeof body === 'string' ? body : utf8.decode(body);
    return text.trim() === ''
      ? new PollError('invalid_json', { message: 'The body is empty: send JSON.' })
      : text;
  } catch (cause) {
    return new PollError('invalid_json', { message: 'The body is not UTF-8.', cause });
  }
}

/** One token of JSON with leading blanks, or trailing blanks. */
const TOKEN =
  /[ \t\n\r]*(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])|[ \t\n\r]+$/y;

/** Explains why a body was rejected by the JSON parser. */
function jsonFault(text: string): string {
  let fault: string;
  try {
    JSON.parse(text);
    return 'The body has a member called __proto__, or prototype in constructor: remove it.';
  } catch (error) {
    fault = (error as Error).message;
  }
  const { extraComma, end } = scan(text);
  if (extraComma !== undefined)
    return `The body is not valid JSON: there is an extra comma ${place(text, extraComma)}.`;
  // For short texts V8 quotes the text and gives no position.
  const position = Number(/at position (\d+)/.exec(fault)?.[1] ?? end);
  if (position >= text.trimEnd().length) return 'The body is not valid JSON: its end is missing.';
  return `The body is not valid JSON: check ${place(text, position)}.`;
}

/** @returns a comma before a closing bracket, if any, and the length of the valid tokens */
function scan(text: string): { extraComma?: number; end: number } {
  TOKEN.lastIndex = 0;
  let comma: number | undefined;
  for (let end = 0; ; end = TOKEN.lastIndex) {
    const token = TOKEN.exec(text)?.[0].trimStart();
    if (token === undefined || token === '') return { end: end + /^\s*/.exec(text.slice(end))![0].length };
    if (comma !== undefined && /^[}\]]/.test(token)) return { extraComma: comma, end };
    comma = token === ',' ? TOKEN.lastIndex - 1 : undefined;
  }
}

/** Counted from 1, as editors do. */
function place(text: string, position: number): string {
  const before = text.slice(0, position).split('\n');
  return `in line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
