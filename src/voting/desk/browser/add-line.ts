import { desk as words } from '../../../locales/en.json';
import type { Commands } from './commands.ts';
import { addPoll, type NewPoll } from './desk-commands.ts';
import type { DeskState } from './desk-state.ts';

/** `Question? | Answer | Answer`; undefined where it is no poll. */
export function readLine(line: string): NewPoll | undefined {
  const [title = '', ...answers] = line.split('|').map(text => text.trim());
  const given = answers.filter(answer => answer !== '');
  return title === '' || given.length < 2 ? undefined : { title, answers: given };
}

/** A poll in one line. The line stays until the relay has the poll: what was not added is there to be sent again, and is added once. */
export function prepareAddLine(
  form: HTMLFormElement,
  state: DeskState,
  presses: Commands,
  say: (text: string) => void,
): void {
  const field = form.elements.namedItem('line') as HTMLInputElement;
  let once = newOnce();
  field.addEventListener('input', () => {
    once = newOnce();
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    const line = field.value;
    const poll = readLine(line);
    if (line.trim() === '') field.focus();
    if (!poll) return say(words.addFault);
    void presses.carry(addPoll(state, poll, once)).then(isAdded => {
      if (!isAdded) return;
      once = newOnce();
      if (field.value === line) field.value = '';
    });
  });
}

function newOnce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(18)), byte =>
    byte.toString(36).padStart(2, '0'),
  ).join('');
}
