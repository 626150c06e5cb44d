import { REPLIES } from '../api/replies.ts';
import { LICENSE, SUMMARY, VERSION } from '../http/product.ts';
import { type JsonSchema, schemasOfOutput } from './json-schema.ts';
import { operation } from './operation.ts';
import { relayOutlines } from './outlines.ts';

const KEY = 'A key of a poll, a show or an operator.';

/** OpenAPI 3.1 of the REST API. The same for every relay of one version. */
export async function openapiDocument(): Promise<object> {
  const paths: Record<string, Record<string, object>> = {};
  for (const [route, outline] of await relayOutlines()) {
    const [method = '', path = ''] = route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(route, outline) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tallycast',
      version: VERSION,
      summary: SUMMARY,
      description:
        'Every error is `{"success": 0, "error": {"code", "message", "issues"?, "request_id"}}`, and a request that gets one has created or changed nothing. Other methods get 405 with `Allow`, other URLs 404.\n\nLive results are streams, which OpenAPI 3.1 cannot describe: `/api/poll/{id}/live` and `/api/show/{name}/live` (WebSocket or Server-Sent Events) and `/api/live` (WebSocket), and for programs `/api/events` (Server-Sent Events). See `/asyncapi.json` and `/docs/protocol`.',
      license: LICENSE,
    },
    servers: [{ url: '/', description: 'This relay' }],
    tags: [
      { name: 'Polls', description: 'Create, read and manage polls. Votes are cast on web pages only.' },
      { name: 'Shows', description: 'Named places on air.' },
      { name: 'Programs', description: 'Webhooks for all polls and shows, for programs of the operator.' },
      { name: 'Health', description: 'For load balancers and monitoring.' },
    ],
    paths,
    components: {
      schemas: withIgnored(schemasOfOutput(REPLIES)),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: KEY },
        bearer: { type: 'http', scheme: 'bearer', description: KEY },
        olderApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'API-KEY',
          description: `${KEY} For older clients.`,
        },
      },
    },
  };
}

/** Every reply lists unknown parameters of the query. */
function withIgnored(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const { ignored } = schemas['Error']!['properties'] as Record<string, JsonSchema>;
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const properties = schema['properties'] as Record<string, JsonSchema> | undefined;
      const isReply = properties !== undefined && Object.hasOwn(properties, 'success');
      return [name, isReply ? { ...schema, properties: { ...properties, ignored } } : schema];
    }),
  );
}
