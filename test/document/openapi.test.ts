import SwaggerParser from '@apidevtools/swagger-parser';
import Fastify, { type HTTPMethods } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { REPLIES } from '../../src/api/replies.ts';
import { requireOutlines } from '../../src/api/rest-routes.ts';
import { asyncapiDocument } from '../../src/document/asyncapi.ts';
import { ERROR_CODES } from '../../src/poll/poll-error.ts';
import { ask, type GOOD_POLL, post } from '../support/api-request.ts';
import { openapi } from '../support/described-api.ts';
import { routesOf } from '../support/route-table.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

/** Pages for people and the files that they load. */
const PAGES =
  /^\/(?:$|overlay|vote\/|fonts\/|widget\.js|client\.js|docs|robots\.txt|icon\.svg|favicon\.ico|apple-touch-icon\.png|\*)/;

interface Described {
  readonly parameters: readonly {
    readonly name: string;
    readonly schema: { type?: string; default?: unknown };
  }[];
  readonly responses: Record<
    string,
    { readonly content?: Record<string, { schema?: Named; example?: unknown }> }
  >;
}
interface Named {
  readonly $ref?: string;
  readonly anyOf?: readonly Named[];
}

describe('the OpenAPI document', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay();
  });
  afterAll(() => relay.close());

  it('is valid OpenAPI 3.1', async () => {
    await SwaggerParser.validate(structuredClone(openapi) as never);
  });

  it('describes every route of the API, and no other one', async () => {
    const described = Object.entries(openapi.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`),
    );
    for (const one of described) {
      const [method = '', path = ''] = one.split(' ');
      const url = path.replace('{level}/{index}', '*').replace(/\{(\w+)\}/g, ':$1');
      expect([one, relay.app.hasRoute({ method: method as HTTPMethods, url })]).toEqual([one, true]);
    }
    const streams = Object.values((asyncapiDocument() as { channels: object }).channels).map(
      ({ address }: { address: string }) => `GET ${address}`,
    );
    const routes = routesOf(relay.app).map(route => route.replace(/:(\w+)/g, '{$1}'));
    expect(routes.length).toBeGreaterThan(40);
    const others = routes.filter(route => {
      const [method = '', path = ''] = route.split(' ');
      // The router prints tiles without the beginning of their path.
      if (method === 'OPTIONS' || path.endsWith('/log*')) return false;
      const isHeadOfGet = method === 'HEAD' && described.includes(`GET ${path}`);
      return (
        ![...described, ...streams, 'GET /api/events'].includes(route) && !isHeadOfGet && !PAGES.test(path)
      );
    });
    expect(others).toEqual([]);
  });

  it('has no route without an outline, because none can be added', async () => {
    const app = Fastify();
    requireOutlines(app);
    expect(() => app.get('/api/new', async () => ({}))).toThrow('GET /api/new has no outline');
  });

  it('names every code of an error where it may come', () => {
    const text = JSON.stringify(openapi.paths);
    const unnamed = ERROR_CODES.filter(code => !text.includes(`"${code}"`));
    expect(unnamed).toEqual([]);
  });

  it('is served, and not sent twice', async () => {
    const { text, headers } = await ask(`${relay.url}/openapi.json`);
    const etag = headers.get('etag') ?? '';
    expect(JSON.parse(text)).toEqual(openapi);
    expect((await ask(`${relay.url}/openapi.json`, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('has an example of each JSON reply, by its schema, and defaults of their type', () => {
    for (const [path, operations] of Object.entries(openapi.paths))
      for (const [method, { responses, parameters }] of Object.entries(
        operations as unknown as Record<string, Described>,
      )) {
        for (const [status, { content }] of Object.entries(responses)) {
          const { schema, example } = content?.['application/json'] ?? {};
          const ref = schema?.$ref ?? schema?.anyOf?.[0]?.$ref;
          if (!status.startsWith('2') || !ref) continue;
          const reply = REPLIES[ref.split('/').at(-1) as keyof typeof REPLIES] as z.ZodType;
          const { error } = reply.safeParse(example);
          expect([method, path, status, error?.issues]).toEqual([method, path, status, undefined]);
        }
        for (const { name, schema } of parameters.filter(one => 'default' in one.schema))
          expect([path, name, typeof schema.default]).toEqual([
            path,
            name,
            schema.type === 'integer' ? 'number' : 'string',
          ]);
      }
  });

  it('has examples that a relay takes', async () => {
    const example = openapi.paths['/api/poll']?.['post'] as unknown as {
      requestBody: { content: { 'application/json': { example: typeof GOOD_POLL } } };
    };
    expect((await post(relay.url, example.requestBody.content['application/json'].example)).status).toBe(201);
  });
});
