import { EventEmitter } from 'node:events';
import type { WriteStream } from 'node:tty';
import { expect, it } from 'vitest';
import { LiveScreen } from '../../src/cli/live-screen.ts';

class FakeTerminal extends EventEmitter {
  rows = 3;
  written = '';

  write(text: string): boolean {
    this.written += text;
    return true;
  }
}

function opened(draw: () => string[]): { terminal: FakeTerminal; screen: LiveScreen } {
  const terminal = new FakeTerminal();
  return { terminal, screen: new LiveScreen(terminal as unknown as WriteStream, draw) };
}

it('draws over what stood there, on resizing too, and never below the last row', () => {
  let drawn = 0;
  const { terminal } = opened(() => {
    drawn += 1;
    return ['a', 'b', 'c', 'd'];
  });
  expect(terminal.written.endsWith('\x1b[Ha\x1b[K\r\nb\x1b[K\r\nc\x1b[K\x1b[J')).toBe(true);
  terminal.written = '';
  terminal.rows = 1;
  terminal.emit('resize');
  expect(terminal.written).toBe('\x1b[Ha\x1b[K\x1b[J');
  expect(drawn).toBe(2);
});

it('gives the terminal back with its cursor, and leaves the last picture behind', () => {
  const { terminal, screen } = opened(() => ['last']);
  screen.close();
  expect(terminal.written.startsWith('\x1b[?1049h\x1b[?25l')).toBe(true);
  expect(terminal.written.endsWith('\x1b[?25h\x1b[?1049llast\n')).toBe(true);
  expect(terminal.listenerCount('resize')).toBe(0);
});
