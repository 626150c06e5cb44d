// Shows the results of a poll in a terminal, live, until the poll is closed.
//
//   node src/examples/terminal.mjs http://127.0.0.1:8080/api/poll/rehearsal
//
// Any URL that names the poll works; `#key=view_…` at its end opens hidden results.

import { watchPoll } from 'tallycast/client';

const WIDTH = 40;
const url = process.argv[2] ?? 'http://127.0.0.1:8080/api/poll/rehearsal';
/** Control characters in a text could move the cursor. */
const plain = text => text.replaceAll(/\p{Cc}/gu, ' ');

function show(lines) {
  // A terminal is redrawn from its upper left corner; a file gets every state.
  console.log(`${process.stdout.isTTY ? '\x1b[H\x1b[J' : ''}${lines.join('\n')}\n`);
}

function draw({ title, poll_answers, total_votes, status }) {
  const rows = poll_answers.map(({ answer, votes }) => {
    const part = total_votes === 0 ? 0 : votes / total_votes;
    const bar = '█'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH, '·');
    return `${bar} ${Math.round(part * 100)}% ${votes} ${plain(answer)}`;
  });
  show([plain(title), ...rows, `${total_votes} votes, ${status}`]);
}

const watch = watchPoll(url, {
  onResults: draw,
  onState(state) {
    if (state.state === 'hidden') show([plain(state.hidden?.title ?? ''), 'The results are hidden.']);
    if (state.state === 'stale') console.log('Not current at the moment.');
    if (state.state === 'refused') console.error(state.message);
    if (state.state === 'final' || state.state === 'refused') watch.close();
  },
});
