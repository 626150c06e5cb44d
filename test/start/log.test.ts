import { afterEach, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../../src/start/config.ts';
import { openLog } from '../../src/start/log.ts';

describe('the log', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const open = () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation(line => lines.push(String(line)) > 0);
    return { lines, log: openLog(readConfig({})) };
  };
  const LONG = 'x'.repeat(6_000);

  it.each<[string, (log: ReturnType<typeof openLog>, text: string) => void]>([
    [
      'texts of a request',
      (log, origin) => log.warn({ origin, host: origin }, 'cross-site request rejected'),
    ],
    ['errors with a text of a request', (log, text) => log.error({ err: new Error(text) }, 'request failed')],
    ['errors alone', log => log.error(new Error(LONG))],
    ['messages with a text of a request', (log, text) => log.warn(`${text.slice(-9)} ${text}`)],
    ['lists of texts', (log, text) => log.child({ reqId: 1 }).info({ lines: [text] }, 'some')],
  ])('writes 1 KB a second at most of %s', (_, write) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { log, lines } = open();
    for (let count = 0; count < 1_000; count += 1) write(log, `${LONG}${count % 2}`);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(lines.join('').length).toBeLessThan(20_000);
  });

  it('counts the lines that it left out in the next one', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { log, lines } = open();
    for (let count = 0; count < 25; count += 1) log.warn({ count }, 'one');
    log.warn('another');
    vi.advanceTimersByTime(10_000);
    log.warn({ count: 25 }, 'one');
    expect(lines).toHaveLength(12);
    expect(JSON.parse(lines[11]!)).toMatchObject({ level: 'warn', msg: 'one', count: 25, leftOut: 15 });
  });
});
