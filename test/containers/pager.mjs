import { createServer } from 'node:http';

/** The operator's webhook: keeps each notification of Alertmanager with its time, and returns all of them. */

const notifications = [];
createServer((request, response) => {
  let body = '';
  request.on('data', chunk => {
    body += chunk;
  });
  request.on('end', () => {
    if (request.method === 'POST') notifications.push({ atMs: Date.now(), ...JSON.parse(body) });
    response.end(JSON.stringify(notifications));
  });
}).listen(80);
