import type { Cluster, Redis } from 'ioredis';

/**
 * Holds back what is written in this turn of the event loop and sends it as one: under load a system call for each
 * command costs more than the command. Call it before a command. Unlike a pipeline it changes nothing but the write:
 * each command still succeeds, fails and times out by itself.
 */
export function writeTogether(client: Redis | Cluster): void {
  const stream = openStream(client);
  if (!stream || stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** The same for the commands of one function, which leave when it returns. */
export function writeAtOnce<Sent>(client: Redis | Cluster, send: () => Sent): Sent {
  const stream = openStream(client);
  if (!stream) return send();
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/** A cluster has a stream for each node, and which one a command takes is its own affair. */
function openStream(client: Redis | Cluster): Redis['stream'] | undefined {
  return client.status === 'ready' && 'stream' in client ? client.stream : undefined;
}
