import Fastify from 'fastify';

/** The least that a Fastify server can do: one route that returns one object. Arguments: port, the object as JSON. */

const [port = '0', body = '{"success":1}'] = process.argv.slice(2);
const answer: unknown = JSON.parse(body);
const app = Fastify();
app.get('/api/poll/:id', async () => answer);
app.get('/health', async () => ({ success: 1 }));
await app.listen({ host: '127.0.0.1', port: Number(port) });
