/** A name of our own: a page that has an Inter keeps it. */
const FAMILY = 'Tallycast Inter';
const FACE = /url\(([^)]+)\)[^}]*?unicode-range:\s*([^;}]+)/g;

/** One file of the font, and the letters in it. */
interface Face {
  readonly url: URL;
  readonly ranges: readonly (readonly [first: number, last: number])[];
  isAskedFor: boolean;
}

/** By relay, which all widgets of a page may share. */
const known = new Map<string, Promise<Face[]>>();

/**
 * Gives the page those files of the relay's font whose letters `text` has. They are fetched, as results are: whatever policy
 * lets the page watch a poll lets it have the font, too. Text is read in the fonts of the style sheet until then, and for ever
 * where none comes.
 *
 * @param relay its address, as the browser writes it
 */
export async function loadFont(relay: string, text: string): Promise<void> {
  const faces = known.get(relay) ?? readFaces(relay).catch(() => []);
  known.set(relay, faces);
  const letters = new Set([...text].map(letter => letter.codePointAt(0) ?? 0));
  for (const face of await faces) {
    const isMet = face.ranges.some(([first, last]) => [...letters].some(at => at >= first && at <= last));
    if (face.isAskedFor || !isMet) continue;
    face.isAskedFor = true;
    void addFace(face).catch(() => undefined);
  }
}

async function readFaces(relay: string): Promise<Face[]> {
  const address = new URL('fonts/inter.css', relay.endsWith('/') ? relay : `${relay}/`);
  const sheet = await (await fetch(address)).text();
  return [...sheet.matchAll(FACE)].map(([, file = '', ranges = '']) => ({
    url: new URL(file, address),
    ranges: ranges.split(',').map(readRange),
    isAskedFor: false,
  }));
}

/** @param text such as `U+0100-02BA` or `U+20AC` */
function readRange(text: string): readonly [number, number] {
  const [first = 0, last = first] = text
    .replace(/^\s*U\+/i, '')
    .split('-')
    .map(number => Number.parseInt(number, 16));
  return [first, last];
}

async function addFace({ url, ranges }: Face): Promise<void> {
  const reply = await fetch(url);
  if (!reply.ok) return;
  const unicodeRange = ranges.map(([first, last]) => `U+${first.toString(16)}-${last.toString(16)}`).join();
  const face = new FontFace(FAMILY, await reply.arrayBuffer(), { weight: '100 900', unicodeRange });
  document.fonts.add(await face.load());
}
