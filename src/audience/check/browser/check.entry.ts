import {
  type Fault,
  type FaultKind,
  type PublishedResults,
  verifyBallot,
  verifyLog,
} from '../../../audit/verify-log.ts';
import { check as words } from '../../../locales/en.json';
import { fill, fillParts } from '../../../locales/i18n.ts';
import { basics, create, element, find, runEach } from '../../../pages/page/browser/dom.ts';
import { prepareCopyFields } from '../../../pages/page/browser/fields.ts';
import { phrases, wording } from '../../../pages/page/browser/i18n.ts';
import { readStoredJson, store } from '../../../pages/page/browser/stored.ts';
import { type CheckReply, evidenceOf, readReceipt, type Verdict, verdictOf } from '../verdict.ts';
import { scriptCrypto } from './script-crypto.ts';

const article = element(document, '[data-check]', HTMLElement);
/** The name of the round in its log. */
const pollId = article.dataset['check']!;
const logUrl = `${article.dataset['relay']}/api/poll/${pollId}`;
const texts = JSON.parse(article.dataset['texts']!) as Readonly<Record<string, string>>;

runEach(prepareVoteForm, prepareResultButton, ...basics, () => prepareCopyFields(document));

/** What a box says, and below it. */
interface Report extends Pick<Verdict, 'tone' | 'title'> {
  readonly texts: readonly (string | Node)[];
  /** Whose check it was. */
  readonly note?: string;
  readonly evidence?: object;
  /** The check found a fault, which may be gone in a moment. */
  readonly isFault?: boolean;
  /** The log does not contain the vote yet. */
  readonly isPending?: boolean;
}

/** The log is extended every five seconds while votes come. */
const AGAIN_MS = 5_500;
const MAX_TRIES = 3;
/** Before a check that failed is reported, it is repeated. */
const SECOND_TRY_MS = 2_000;

/** Checks the code of this browser, or that of a link, at once. */
function prepareVoteForm(): void {
  const form = element(article, '[data-vote-form]', HTMLFormElement);
  const field = element(form, 'input[name=receipt]', HTMLInputElement);
  const box = element(form.parentElement!, '[data-verdict]', HTMLElement);
  const button = element(form, 'button[type=submit]', HTMLButtonElement);
  let timer: ReturnType<typeof setTimeout>;
  const run = (tries: number) => {
    clearTimeout(timer);
    return whileBusy(button, async () => {
      const check = () => reportOnVote(form.action, readReceipt(field.value));
      const report = await tryTwice(check);
      show(box, report);
      if (report.isPending && tries < MAX_TRIES) timer = setTimeout(() => void run(tries + 1), AGAIN_MS);
    });
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    void run(1);
  });
  const runOfLink = () => {
    const code = location.hash.slice(1);
    if (code !== '') field.value = code;
    // It would stay in the history of the browser.
    if (code !== '') history.replaceState(null, '', location.pathname + location.search);
    if (field.value !== '') void run(1);
  };
  addEventListener('hashchange', runOfLink);
  runOfLink();
}

async function reportOnVote(action: string, receipt: string): Promise<Report> {
  const response = await fetch(action, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ receipt }),
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const reply = (await response.json()) as CheckReply;
  const verdict = verdictOf(words, reply);
  const report = { ...verdict, texts: fillParts<string | Node>(verdict.text, valuesOf(reply)) };
  if (!('path' in reply)) return { ...report, isPending: 'sequence' in reply };
  const seen = recall();
  const { faults, values } = verifyBallot(scriptCrypto, pollId, receipt, reply, seen?.note);
  if (faults.length > 0) return faultReport('vote', faults, { ...values, seen });
  remember({ note: reply.checkpoint, key: reply.key });
  return { ...report, note: words.byBrowser, evidence: values };
}

function valuesOf(reply: CheckReply): Record<string, string | Node> {
  if (!reply.found) return {};
  const choices = document.createDocumentFragment();
  for (const [index, id] of reply.answers.entries()) {
    const name = create('bdi', {}, texts[id] ?? id);
    choices.append(index > 0 ? ', ' : '', create('b', {}, name));
  }
  return { choices, number: 'sequence' in reply ? wording.number(reply.sequence) : '' };
}

function prepareResultButton(): void {
  const section = find(article, 'result');
  const button = section && find<HTMLButtonElement>(section, 'check-result');
  if (!section || !button) return;
  const progress = element(section, '[data-progress]', HTMLElement);
  const box = element(section, '[data-verdict]', HTMLElement);
  button.hidden = false;
  const onProgress = (done: number, all: number) => {
    progress.textContent = fill(words.result.progress, {
      done: wording.number(done),
      all: wording.number(all),
    });
    return pause(0);
  };
  button.addEventListener('click', () =>
    whileBusy(button, async () => {
      const report = await tryTwice(() => reportOnResult(onProgress));
      progress.textContent = '';
      show(box, report);
    }),
  );
}

async function reportOnResult(onProgress: (done: number, all: number) => Promise<void>): Promise<Report> {
  const results = (await (await readRelay(article.dataset['results']!)).json()) as PublishedResults;
  const seen = recall();
  const { faults, isComplete, checkpoint, note, key, voided, changes } = await verifyLog({
    pollId,
    crypto: scriptCrypto,
    results,
    seen: seen ? [{ name: 'the checkpoint that this browser saw', note: seen.note }] : [],
    read: path => readRelay(`${logUrl}${path}`),
    onProgress,
  });
  if (faults.length > 0) return faultReport('result', faults, { checkpoint: note, key, seen });
  if (!isComplete || !checkpoint) return failedReport();
  remember({ note, key });
  const lines = [
    fill(words.result.right.text, { size: wording.number(checkpoint.size - changes) }),
    voided > 0 && `${wording.plural(phrases, 'voided', voided)}.`,
  ];
  return {
    tone: 'good',
    title: words.result.right.title,
    texts: [lines.filter(Boolean).join(' ')],
    note: words.byBrowser,
  };
}

const WAIT_MS = 1_000;
const MAX_WAITS = 30;

/** Waits for a relay that is busy, or still builds the log. */
async function readRelay(url: string): Promise<Response> {
  for (let waits = 0; ; waits += 1) {
    const reply = await fetch(url, { cache: 'no-store' });
    if (reply.ok) return reply;
    const isBusy = reply.status === 503 || reply.status === 429;
    if (!isBusy || waits === MAX_WAITS) throw new Error(`${url}: status ${reply.status}`);
    await pause(WAIT_MS);
  }
}

const { verdict, result } = words;
/** In the order in which they are shown: the first explains those after it. Those of a result have a text each. */
const FAULTS: Readonly<Record<Exclude<FaultKind, 'unfinished'>, string>> = {
  log: result.wrong.votes,
  memory: verdict.rewritten.text,
  counts: result.wrong.counts,
  loss: result.wrong.loss,
};

function faultReport(subject: 'vote' | 'result', faults: readonly Fault[], values: object): Report {
  const kinds: readonly string[] = faults.map(({ kind }) => kind);
  const [kind, ofResult] = Object.entries(FAULTS).find(([one]) => kinds.includes(one)) ?? [];
  if (!kind) return failedReport();
  const ofVote = kind === 'memory' ? verdict.rewritten : verdict.wrong;
  const { title, text } =
    subject === 'vote' || kind === 'memory' ? ofVote : { title: result.wrong.title, text: ofResult };
  return {
    tone: 'problem',
    title,
    texts: [`${text} ${words.evidence}`],
    evidence: { faults: faults.map(fault => fault.text), ...values },
    isFault: true,
  };
}

function failedReport(): Report {
  const { title, text } = verdict.failed;
  return { tone: 'problem', title, texts: [text] };
}

/**
 * A vote may be removed while all are loaded, and a busy relay may have an older checkpoint than
 * another for a moment.
 */
async function tryTwice(check: () => Promise<Report>): Promise<Report> {
  try {
    const report = await check();
    if (!report.isFault) return report;
    await pause(SECOND_TRY_MS);
    return await check();
  } catch {
    return failedReport();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise(done => setTimeout(done, ms));
}

async function whileBusy(button: HTMLButtonElement, work: () => Promise<void>): Promise<void> {
  if (button.getAttribute('aria-disabled') === 'true') return;
  const label = button.textContent;
  // `disabled` would take the focus away.
  button.setAttribute('aria-disabled', 'true');
  button.textContent = phrases.oneMoment;
  await work();
  button.textContent = label;
  button.removeAttribute('aria-disabled');
}

/** Shows the same as the server without a script. */
function show(box: HTMLElement, { tone, title, texts, note, evidence }: Report): void {
  const role = tone === 'problem' ? 'alert' : 'status';
  const attributes = { class: `notice ${tone}`, role, tabindex: '-1' };
  const notice = create('section', attributes, create('h2', {}, title), create('p', {}, ...texts));
  const below = note === undefined ? [] : [create('p', { class: 'quiet' }, note)];
  box.replaceChildren(notice, ...below, ...(evidence ? [detailsOf(evidence)] : []));
  prepareCopyFields(box);
  notice.focus();
}

let boxes = 0;

function detailsOf(evidence: object): Node {
  const { content } = element(article, '[data-evidence]', HTMLTemplateElement);
  const details = content.cloneNode(true) as DocumentFragment;
  const field = element(details, 'textarea', HTMLTextAreaElement);
  boxes += 1;
  field.id = element(details, 'label', HTMLLabelElement).htmlFor = `evidence-${boxes}`;
  field.value = evidenceOf(pollId, evidence);
  return details;
}

interface SeenCheckpoint {
  readonly note: string;
  /** The log's public key, for people who look into a fault. */
  readonly key: string;
}

const SLOT = `tallycast-log-${pollId}`;

/** The newest checkpoint that this browser saw of this poll. Without storage each visit is the first. */
function recall(): SeenCheckpoint | undefined {
  return readStoredJson('localStorage', SLOT) as SeenCheckpoint | undefined;
}

function remember({ note, key }: SeenCheckpoint): void {
  store('localStorage', SLOT, JSON.stringify({ note, key }));
}
