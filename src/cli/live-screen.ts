import type { WriteStream } from 'node:tty';

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/** The whole terminal, drawn over in place, and given back as it was. */
export class LiveScreen {
  readonly #terminal: WriteStream;
  readonly #draw: () => string[];

  /** @param draw gives the lines for the terminal's present size */
  constructor(terminal: WriteStream, draw: () => string[]) {
    this.#terminal = terminal;
    this.#draw = draw;
    terminal.write(ENTER);
    terminal.on('resize', this.refresh);
    this.refresh();
  }

  readonly refresh = (): void => {
    const lines = this.#draw().slice(0, this.#terminal.rows);
    // One write, and no clearing before it: a terminal that draws in between would flicker.
    this.#terminal.write(HOME + lines.map(line => line + CLEAR_LINE).join('\r\n') + CLEAR_BELOW);
  };

  /** What stood there last stays in the terminal's history. */
  close(): void {
    this.#terminal.off('resize', this.refresh);
    this.#terminal.write(`${LEAVE}${this.#draw().join('\n')}\n`);
  }
}
