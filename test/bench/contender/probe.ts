import { connect } from 'node:net';
import { until } from '../system/clock.ts';

/** Waits until a server answers HTTP with anything at all. */
export function answers(port: number, patienceMs: number): Promise<boolean> {
  return until(() => answersOnce(port), patienceMs, 2);
}

function answersOnce(port: number): Promise<boolean> {
  return exchange(port, 'GET /health HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n');
}

export function listens(port: number, patienceMs: number): Promise<boolean> {
  return until(() => exchange(port, undefined), patienceMs, 10);
}

function exchange(port: number, request: string | undefined): Promise<boolean> {
  return new Promise(settle => {
    const socket = connect(port, '127.0.0.1', () => {
      if (request !== undefined) socket.write(request);
      else finish(true);
    });
    const finish = (answer: boolean) => {
      settle(answer);
      socket.destroy();
    };
    socket.setTimeout(2_000, () => finish(false));
    socket.once('data', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
  });
}
