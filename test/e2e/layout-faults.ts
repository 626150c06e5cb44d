/** The smallest text on air, of the height of a picture that is 16 : 9; and in CSS pixels, on any screen. */
const SMALLEST = 0.026;
const SMALLEST_PX = 11.9;
/** Fractions of a pixel are not seen. */
const SLACK_PX = 1.5;
/** In less height, and where a code takes some of it, the mark of a rehearsal may lie on the panel. */
const LOW_PX = 300;
/** Lines may share the air above and below their letters. */
const SHARED_AIR = 0.35;

const TEXTS =
  '.title, .style-code .address, .next > *, .label, .values, .tag, .foot span, .number, .center, .best, .count, .percent, .turns, .rehearsal';
const SHAPES = '.track, .shaft, .swatch, .ring, .away, .lock';
/** The names of a list of answers. */
const NAMES = '.row .label, .side .label';

/**
 * Everything that is wrong with the layout of a stage: boxes that leave their panel, a panel that leaves the safe area, texts
 * that lie on each other, are cut without a sign or are too small, names cut to the same, names of one list in two sizes, a
 * title smaller than they are, words that break without a mark, a badge in the place of a name, figures beside each other in two notations. Empty where all is well. Runs in the page.
 */
export function findLayoutFaults(stage: HTMLElement, marginPercent = 5): string[] {
  const panel = seen(stage, '.panel')[0];
  if (!panel) return ['there is no panel'];
  const texts = seen(stage, TEXTS);
  const isFull = stage.clientHeight < LOW_PX || stage.matches('.code-below');
  const leaves = texts.filter(text => text.children.length === 0 && (text.textContent ?? '') !== '');
  const isUntitled = seen(stage, '.title').length === 0 && !stage.matches('.style-code');
  return [
    ...(isUntitled ? ['there is no question'] : []),
    ...findStrays(stage, panel, texts, marginPercent),
    ...leaves.flatMap(text => findTextFaults(text, stage)),
    ...findOverlaps([
      ...leaves.filter(text => !isFull || !text.matches('.rehearsal')),
      ...seen(stage, '.lock, .away, .swatch'),
    ]),
    ...findTwins(seen(stage, '.label')),
    ...findSizes(stage),
    ...findMixedNotations(seen(stage, '.row .count, .side .count')),
  ];
}

function seen(stage: HTMLElement, selector: string): HTMLElement[] {
  return [...stage.querySelectorAll<HTMLElement>(selector)].filter(element => {
    const { width, height } = element.getBoundingClientRect();
    const isShown = getComputedStyle(element).visibility !== 'hidden';
    return width > 0 && height > 0 && isShown && !element.closest('.waits');
  });
}

function nameOf(element: Element): string {
  return `${element.getAttribute('class')} "${(element.textContent ?? '').slice(0, 24)}"`;
}

function findStrays(
  stage: HTMLElement,
  panel: HTMLElement,
  texts: readonly HTMLElement[],
  margin: number,
): string[] {
  const faults: string[] = [];
  const canvas = stage.getBoundingClientRect();
  const plate = panel.getBoundingClientRect();
  const [x, y] = [(canvas.width * margin) / 100, (canvas.height * margin) / 100];
  const safe = new DOMRect(canvas.left + x, canvas.top + y, canvas.width - 2 * x, canvas.height - 2 * y);
  if (!isInside(plate, safe)) faults.push('the panel leaves the safe area');
  for (const card of seen(stage, '.with-code .code-card')) {
    const box = card.getBoundingClientRect();
    if (!isInside(box, safe)) faults.push('the code leaves the safe area');
    const across = Math.min(box.right, plate.right) - Math.max(box.left, plate.left);
    const down = Math.min(box.bottom, plate.bottom) - Math.max(box.top, plate.top);
    if (across > 0 && down > 0) faults.push('the code lies on the panel');
  }
  for (const part of [...texts, ...seen(stage, SHAPES)]) {
    const inside = part.matches('.rehearsal') ? safe : plate;
    if (!isInside(part.getBoundingClientRect(), inside)) faults.push(`${nameOf(part)} leaves the panel`);
  }
  return faults;
}

function isInside(box: DOMRect, room: DOMRect): boolean {
  return (
    box.left >= room.left - SLACK_PX &&
    box.top >= room.top - SLACK_PX &&
    box.right <= room.right + SLACK_PX &&
    box.bottom <= room.bottom + SLACK_PX
  );
}

function findTextFaults(text: HTMLElement, stage: HTMLElement): string[] {
  const faults: string[] = [];
  const style = getComputedStyle(text);
  const { clientWidth, clientHeight } = stage;
  const hides = style.overflowX !== 'visible';
  const ink = inkOf(text, 'whole');
  const isCut = text.scrollWidth > text.clientWidth + SLACK_PX;
  const isShort = style.whiteSpace === 'nowrap' && ink.width > text.getBoundingClientRect().width + 0.02;
  if (isShort && hides && style.textOverflow === 'ellipsis' && text.matches('.label:not(.cut)'))
    faults.push(`${nameOf(text)} loses its end though it may be smaller`);
  const saysSo = hides && (style.textOverflow === 'ellipsis' || text.classList.contains('cut'));
  if (isCut && !saysSo && style.display !== 'inline') faults.push(`${nameOf(text)} is wider than its box`);
  const hidesLines = style.overflowY !== 'visible' && text.scrollHeight > text.clientHeight * 1.4;
  if (hidesLines && !text.classList.contains('cut')) faults.push(`${nameOf(text)} hides lines`);
  if (text.matches('.lines.broken') && findUnmarkedBreak(text) !== undefined)
    faults.push(`${nameOf(text)} breaks "${findUnmarkedBreak(text)}" without a mark`);
  const isWide = clientWidth * 9 >= clientHeight * 16;
  const smallest = Math.max(SMALLEST_PX, isWide ? SMALLEST * clientHeight : 0);
  if (Number.parseFloat(style.fontSize) < smallest) faults.push(`${nameOf(text)} is too small to read`);
  return faults;
}

const LETTERS = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]{2}$/u;

/** Two letters of one word on two lines, without a hyphen between them. */
function findUnmarkedBreak(text: HTMLElement): string | undefined {
  const node = text.firstChild;
  if (!(node instanceof Text)) return undefined;
  const range = document.createRange();
  const tops = [...node.data].map((_, at) => {
    range.setStart(node, Math.min(at, node.length - 1));
    range.setEnd(node, Math.min(at + 1, node.length));
    // A letter after a hyphen has a box in either line.
    return [...range.getClientRects()].at(-1)?.top ?? Number.NaN;
  });
  for (const [at, top] of tops.entries()) {
    const pair = node.data.slice(at - 1, at + 1);
    if (LETTERS.test(pair) && top > tops[at - 1]! + SLACK_PX) return pair;
  }
  return undefined;
}

/** Where the letters of a text are, or are seen. */
function inkOf(text: HTMLElement, extent: 'whole' | 'seen'): DOMRect {
  const range = document.createRange();
  range.selectNodeContents(text);
  const [ink, box] = [range.getBoundingClientRect(), text.getBoundingClientRect()];
  if (extent === 'whole' || getComputedStyle(text).overflowX === 'visible') return ink;
  const [left, top] = [Math.max(ink.left, box.left), Math.max(ink.top, box.top)];
  const [right, bottom] = [Math.min(ink.right, box.right), Math.min(ink.bottom, box.bottom)];
  return new DOMRect(left, top, right - left, bottom - top);
}

function findOverlaps(leaves: readonly HTMLElement[]): string[] {
  const faults: string[] = [];
  const inks = leaves.map(text => ({
    text,
    ink: text.firstChild ? inkOf(text, 'seen') : text.getBoundingClientRect(),
  }));
  for (const [at, { text, ink: a }] of inks.entries()) {
    for (const { text: other, ink: b } of inks.slice(at + 1)) {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 2 && down > Math.min(a.height, b.height) * SHARED_AIR)
        faults.push(`${nameOf(text)} lies on ${nameOf(other)}`);
    }
  }
  return faults;
}

/** Names that are not the same and look so. */
function findTwins(labels: readonly HTMLElement[]): string[] {
  const names = new Map<string, string>();
  const faults: string[] = [];
  for (const label of labels) {
    const whole = label.dataset['whole'] ?? label.textContent ?? '';
    const visible = visibleText(label);
    const twin = names.get(visible);
    if (twin !== undefined && twin !== whole) faults.push(`${nameOf(label)} is cut to the same as another`);
    names.set(visible, whole);
  }
  return faults;
}

/** The characters that are left where an ellipsis takes the place of some. */
function visibleText(label: HTMLElement): string {
  const node = label.firstChild;
  if (!(node instanceof Text)) return '';
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = label;
  if (scrollWidth <= clientWidth + 1 && scrollHeight <= clientHeight + 1) return node.data;
  const { left, right, bottom } = label.getBoundingClientRect();
  const ellipsis = Number.parseFloat(getComputedStyle(label).fontSize);
  const isRightToLeft = getComputedStyle(label).direction === 'rtl';
  const range = document.createRange();
  const shown = [...node.data].map((character, at) => {
    range.setStart(node, Math.min(at, node.length - 1));
    range.setEnd(node, Math.min(at + 1, node.length));
    const box = range.getBoundingClientRect();
    const ends = isRightToLeft ? box.left >= left + ellipsis : box.right <= right - ellipsis;
    return ends && box.bottom <= bottom + SLACK_PX ? character : '';
  });
  return shown.join('');
}

/** One list has one size, which the title is never below; and a badge takes no room that a name needs. */
function findSizes(stage: HTMLElement): string[] {
  const sizeOf = (text: HTMLElement) => Number.parseFloat(getComputedStyle(text).fontSize);
  const names = seen(stage, NAMES);
  const sizes = [...new Set(names.map(sizeOf))];
  const faults = sizes.length > 1 ? [`one list has the sizes ${sizes.join(', ')}`] : [];
  const titles = seen(stage, '.title').filter(title => sizeOf(title) < Math.max(0, ...sizes) - 0.01);
  faults.push(...titles.map(title => `${nameOf(title)} is smaller than the answers`));
  const tags = seen(stage, '.tag:not(.side .tag)').filter(tag =>
    tag.parentElement?.querySelector('.label.cut'),
  );
  faults.push(...tags.map(tag => `${nameOf(tag)} takes the room of a name`));
  return faults;
}

/** `1.54B` beside `831,136,284`. */
function findMixedNotations(counts: readonly HTMLElement[]): string[] {
  const texts = counts.map(count => count.textContent ?? '');
  const isCompact = (text: string) => /\p{L}/u.test(text);
  const whole = texts.find(text => !isCompact(text) && text.replace(/\P{Nd}/gu, '').length > 3);
  const compact = texts.find(isCompact);
  return whole && compact ? [`"${compact}" stands beside "${whole}"`] : [];
}
