// Presses one button of a show: next, previous, reveal (the poll on air) or clear.
//
//   TALLYCAST_KEY=show_… node src/examples/show-button.mjs friday-night next
//
// Stream Deck: action "System: Open" with this command. Companion: action "System: Run shell path (local)".

const [show, button] = process.argv.slice(2);
const { TALLYCAST_KEY = '', TALLYCAST_URL = 'http://127.0.0.1:8080' } = process.env;

async function ask(method, path, body) {
  const response = await fetch(TALLYCAST_URL + path, {
    method,
    headers: { 'X-API-Key': TALLYCAST_KEY, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(5_000),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(reply.error?.message ?? `status ${response.status}`);
  return reply;
}

const BUTTONS = {
  next: () => ask('POST', `/api/show/${show}/next`, {}),
  previous: () => ask('POST', `/api/show/${show}/previous`, {}),
  clear: () => ask('POST', `/api/show/${show}/clear`, {}),
  async reveal() {
    const { on_air } = await ask('GET', `/api/show/${show}`);
    if (!on_air) throw new Error('nothing is on air');
    await ask('PATCH', `/api/poll/${on_air}`, { poll: { results_visibility: 'always' } });
    return { on_air };
  },
};

const press = Object.hasOwn(BUTTONS, button) && BUTTONS[button];
try {
  if (!press) throw new Error(`usage: show-button.mjs <show> ${Object.keys(BUTTONS).join('|')}`);
  const { on_air } = await press();
  console.log(`${button}: ${on_air ?? 'nothing'} is on air`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
