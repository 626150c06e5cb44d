import { readFileSync } from 'node:fs';
import { builtFolder } from '../http/assets.ts';

/** What PROTOCOL.md says of each message, for documents that programs read. */

interface MessageText {
  /** What it says, and when it is sent. */
  readonly description: string;
  readonly examples: readonly Record<string, unknown>[];
}

const SECTION = /^### (.+)\n/m;
const EXAMPLES = /```json\n([\s\S]*?)```/;
const WIRE_TYPE = /`(\w+)`/g;

/** By the type of the message. */
export function messageTexts(): ReadonlyMap<string, MessageText> {
  const [, ...parts] = readFileSync(new URL('PROTOCOL.md', builtFolder('protocol')), 'utf8').split(SECTION);
  const texts = new Map<string, MessageText>();
  for (let at = 0; at < parts.length; at += 2) {
    const [title = '', text = ''] = parts.slice(at, at + 2);
    const examples = (EXAMPLES.exec(text)?.[1] ?? '').split('\n').filter(Boolean).map(toExample);
    for (const [, type = ''] of title.matchAll(WIRE_TYPE))
      if (examples.length > 0)
        texts.set(type, {
          description: firstParagraph(text),
          examples: examples.filter(example => example['type'] === type),
        });
  }
  return texts;
}

function toExample(line: string): Record<string, unknown> {
  return JSON.parse(line);
}

/** The one after "Direction: …". */
function firstParagraph(text: string): string {
  return (text.split(/\n\n/)[1] ?? '').replace(/\n/g, ' ').trim();
}
