// Presses one button of a show, which acts on what is on air.
//
//   TALLYCAST_KEY=show_… node src/examples/show-button.mjs friday-night next
//   … friday-night open 60        closes after 60 s; so does close 60
//   … friday-night step 3         reveals all down to the third place
//
// Stream Deck: action "System: Open" with this command. Companion: action "System: Run shell path (local)".

const BUTTONS = ['next', 'previous', 'clear', 'open', 'close', 'step', 'reveal', 'undo'];
const MEMBERS = { open: 'closes_in', close: 'closes_in', step: 'to' };

const [show, button, value] = process.argv.slice(2);
const { TALLYCAST_KEY = '', TALLYCAST_URL = 'http://127.0.0.1:8080' } = process.env;

async function press() {
  const members = value !== undefined && button in MEMBERS ? { [MEMBERS[button]]: Number(value) } : {};
  const response = await fetch(`${TALLYCAST_URL}/api/show/${show}/${button}`, {
    method: 'POST',
    headers: { 'X-API-Key': TALLYCAST_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ show: members }),
    signal: AbortSignal.timeout(5_000),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(reply.error?.message ?? `status ${response.status}`);
  return reply;
}

try {
  if (!BUTTONS.includes(button)) throw new Error(`usage: show-button.mjs <show> ${BUTTONS.join('|')}`);
  const { on_air, poll } = await press();
  const state = poll ? `, ${poll.status}` : '';
  console.log(`${button}: ${on_air ?? 'nothing'} is on air${state}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
