import { codeQuery } from '../../api/vote-code.ts';
import type { ErrorCode } from '../../poll/poll-error.ts';
import { membersOfInput } from '../json-schema.ts';
import { operation, type Paths } from './operation.ts';
import { fromQuery, ifNoneMatch, type Parameter, pollId, showName } from './parameters.ts';
import { CACHE_CONTROL, ETAG, image } from './responses.ts';

const size = fromQuery(membersOfInput(codeQuery));

/** @param leads where the code leads */
function code(of: Parameter, leads: string, tag: string, unknown: ErrorCode, format: 'svg' | 'png') {
  const type = { svg: 'image/svg+xml', png: 'image/png' }[format];
  const headers = { ...ETAG, ...CACHE_CONTROL };
  return operation({
    operationId: `drawCodeOf${tag.slice(0, -1)}As${format.toUpperCase()}`,
    tags: [tag],
    summary: `The QR code of ${leads}, as ${format.toUpperCase()}`,
    description: 'Dark on light, with the light edge that readers look for.',
    parameters: [of, ...size, ifNoneMatch],
    replies: {
      200: image('The code.', type, headers),
      304: { description: 'It is what the caller holds.', headers },
    },
    refusals: [unknown, 'route_not_found'],
  });
}

const ofPoll = (format: 'svg' | 'png') =>
  code(pollId, 'a poll’s voting page', 'Polls', 'poll_not_found', format);
const ofShow = (format: 'svg' | 'png') =>
  code(showName, 'a show’s page for its audience', 'Shows', 'show_not_found', format);

export const codePaths: Paths = {
  '/api/poll/{id}/qr.svg': { get: ofPoll('svg') },
  '/api/poll/{id}/qr.png': { get: ofPoll('png') },
  '/api/show/{name}/qr.svg': { get: ofShow('svg') },
  '/api/show/{name}/qr.png': { get: ofShow('png') },
};
