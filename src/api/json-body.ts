import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PollError } from '../poll/poll-error.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Real clients are sloppy: JSON comes as text/plain, or with no content type at all. Anything else is no JSON. It is UTF-8 and
 * uncompressed: text that was decoded by a wrong guess would be stored, and shown, with its letters broken.
 */
export function acceptSloppyJson(app: FastifyInstance): void {
  acceptJson(app, ({ method }) => method === 'DELETE');
}

/** The same where a body is welcome and nobody has to send one: buttons announce a content type with whatever they send. */
export function acceptNoBody(app: FastifyInstance): void {
  acceptJson(app, () => true);
}

/** @param mayBeEmpty whatever type the client announces */
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

/** Strings, numbers, words and marks of JSON, one after the other, with the blanks between them. */
const TOKEN =
  /[ \t\n\r]*(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])|[ \t\n\r]+$/y;

/** @param text what the parser of request bodies has refused */
function jsonFault(text: string): string {
  const fault = faultOfParser(text);
  if (fault === undefined)
    return 'The body has a member called __proto__, or prototype in constructor: leave it out.';
  const { extraComma, end } = scan(text);
  if (extraComma !== undefined)
    return `The body is not valid JSON: one comma too many ${place(text, extraComma)}.`;
  // Where a text is short, engines quote it and name no position.
  const position = Number(/at position (\d+)/.exec(fault)?.[1] ?? end);
  if (position >= text.trimEnd().length) return 'The body is not valid JSON: its end is missing.';
  return `The body is not valid JSON: look ${place(text, position)}.`;
}

/** @returns undefined for JSON that has a member which no body may have, because it could change what is not the caller's */
function faultOfParser(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** @returns the comma before a closing bracket, if there is one, and how far the text consists of what JSON consists of */
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
