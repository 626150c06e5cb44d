import Fastify from 'fastify';

/** The least that a Fastify server can do. Argument: port. */

const app = Fastify();
app.get('/health', async () => ({ success: 1 }));
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
