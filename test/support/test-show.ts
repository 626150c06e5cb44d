import { type ApiReply, ask, GOOD_POLL } from './api-request.ts';
import { type TestRelay, untilAvailable } from './test-relay.ts';

let names = 0;
let fills = 0;

/** A show of a test, and the requests that its producer makes. */
export interface TestShow {
  readonly name: string;
  /** Of its relay. */
  readonly url: string;
  key: string;
  /** The same show by the way of another relay. */
  at(url: string): TestShow;
  get(path?: string, key?: string): Promise<ApiReply>;
  patch(show: unknown, headers?: Record<string, string>): Promise<ApiReply>;
  /** Presses a button: `next`, `previous`, `clear`. */
  press(button: string, show?: unknown, headers?: Record<string, string>): Promise<ApiReply>;
  addPoll(poll?: Record<string, unknown>, headers?: Record<string, string>): Promise<ApiReply>;
  /** Adds polls. @returns their ids */
  fill(count: number): Promise<string[]>;
}

export async function takeShow(relay: Pick<TestRelay, 'url'>, key?: string): Promise<TestShow> {
  names += 1;
  const name = `show-of-a-test-${names}`;
  const headers = {
    'idempotency-key': `taking-${name}-for-a-test`,
    ...(key !== undefined && { 'x-api-key': key }),
  };
  const body = JSON.stringify({ show: { name } });
  const { status, json, text } = await retried(() =>
    ask(`${relay.url}/api/show`, { method: 'POST', body, headers }),
  );
  if (status !== 201) throw new Error(`taking a name failed: ${text}`);
  return showAt(relay.url, name, json.show_key);
}

function showAt(url: string, name: string, showKey: string): TestShow {
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(`${url}/api/show/${name}${path}`, {
      method,
      headers: { 'x-api-key': show.key, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const show: TestShow = {
    name,
    url,
    key: showKey,
    at: other => showAt(other, name, show.key),
    get: (path = '', key = show.key) => send('GET', path, undefined, { 'x-api-key': key }),
    patch: (change, headers) => send('PATCH', '', { show: change }, headers),
    press: (button, seen, headers) =>
      send('POST', `/${button}`, seen === undefined ? undefined : { show: seen }, headers),
    addPoll: (poll, headers) => send('POST', '/poll', { poll: { ...GOOD_POLL, ...poll } }, headers),
    async fill(count) {
      const ids: string[] = [];
      for (let added = 0; added < count; added += 1) {
        fills += 1;
        const headers = { 'idempotency-key': `filling-a-rundown-${process.pid}-${fills}` };
        ids.push((await retried(() => show.addPoll({}, headers))).json.id);
      }
      return ids;
    },
  };
  return show;
}

/** An engine may be late on a busy machine, so preparations are retried with the same key. */
function retried(attempt: () => Promise<ApiReply>): Promise<ApiReply> {
  return untilAvailable(async isLast => {
    const reply = await attempt();
    return reply.status === 503 && !isLast ? undefined : reply;
  });
}
