import { schemasOfOutput } from './json-schema.ts';
import { codePaths } from './operation/code-operations.ts';
import { healthPaths } from './operation/health-operations.ts';
import type { Paths } from './operation/operation.ts';
import { pollPaths } from './operation/poll-operations.ts';
import { showPaths } from './operation/show-operations.ts';
import { LICENSE, SUMMARY, VERSION } from './product.ts';
import { REPLIES } from './replies.ts';

/** Everything that a program may ask of a relay by HTTP. */
export const PATHS: Paths = { ...pollPaths, ...showPaths, ...codePaths, ...healthPaths };

const TAGS = [
  {
    name: 'Polls',
    description:
      'Created, read and managed by programs. People vote in a browser; no operation casts a vote.',
  },
  { name: 'Shows', description: 'Named places on air.' },
  { name: 'Health', description: 'For balancers and for whoever watches over it.' },
];

/** OpenAPI 3.1, the same for every relay of one version: nothing in it comes from what is stored or set. */
export function openapiDocument(): object {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tallycast',
      version: VERSION,
      summary: SUMMARY,
      description:
        'Every error is `{"success": 0, "error": {"code", "message", "issues"?}}`, and nothing is created or changed by a request that ends in one. Any other method than those below is answered 405 with `Allow`, any other address 404.\n\nResults as they change are a stream, which OpenAPI 3.1 cannot describe: `/api/poll/{id}/live` and `/api/show/{name}/live` (WebSocket or Server-Sent Events) and `/api/live` (WebSocket) are in `/asyncapi.json`, with rules at `/docs/protocol`.',
      license: LICENSE,
    },
    servers: [{ url: '/', description: 'This relay' }],
    tags: TAGS,
    paths: PATHS,
    components: {
      schemas: schemasOfOutput(REPLIES),
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'A poll’s, a show’s or an operator’s key.',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'The same key.' },
        olderApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'API-KEY',
          description: 'The same key, for older clients.',
        },
      },
    },
  };
}
