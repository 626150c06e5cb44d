// Prints the events of a webhook, and rejects requests that the relay did not sign.
//
//   WEBHOOK_SECRET=whsec_… node src/examples/webhook-receiver.mjs
//
// Create the webhook with POST /api/webhook and the URL of this program (port 8070); the reply has the secret.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET = '', PORT = '8070', HOST = '127.0.0.1' } = process.env;
const secret = Buffer.from(WEBHOOK_SECRET.replace('whsec_', ''), 'base64');
if (secret.length === 0) throw new Error('set WEBHOOK_SECRET');
const MAX_AGE_S = 300;
const MAX_BYTES = 1_000_000;

/** By the specification of https://www.standardwebhooks.com. Its header may hold several signatures. */
function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures = '' } = headers;
  const ageS = Math.abs(Date.now() / 1_000 - Number(sentAt));
  if (!(ageS < MAX_AGE_S)) return false;
  const expected = createHmac('sha256', secret).update(`${id}.${sentAt}.`).update(body).digest();
  return signatures.split(' ').some(part => {
    const [version, signature = ''] = part.split(',');
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Ids of events. A delivery is repeated when its reply was lost, also after a restart: a real receiver stores them. */
const seen = new Set();

createServer(async (request, response) => {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return response.writeHead(413).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!isSigned(request.headers, body)) return response.writeHead(401).end();
  const { id, type, data } = JSON.parse(body);
  if (!seen.has(id)) console.log(type, data.id);
  seen.add(id);
  // Any 2xx ends the delivery. Reply first where the work takes long: the relay waits for the reply.
  response.writeHead(204).end();
}).listen(Number(PORT), HOST, function () {
  console.log(`listening at http://${HOST}:${this.address().port}`);
});
