import Fastify from 'fastify';

/** The least that a Fastify server can do: routes that return one object, or one text. Arguments: port, the object as JSON. */

const [port = '0', body = '{"success":1}'] = process.argv.slice(2);
const answer: unknown = JSON.parse(body);
const app = Fastify();
app.get('/api/poll/:id', async () => answer);
const texts = new Map<string, string>();
app.get<{ Params: { count: string } }>('/bytes/:count', async ({ params: { count } }, reply) => {
  const text = texts.get(count) ?? 'x'.repeat(Number(count));
  texts.set(count, text);
  return reply.type('text/html; charset=utf-8').send(text);
});
app.get('/health', async () => ({ success: 1 }));
await app.listen({ host: '127.0.0.1', port: Number(port) });
