import { expect } from 'vitest';
import { readDocument } from './documents.ts';

/** Walks a section of a document: each paragraph and list item is read, and what it says is done. */

export interface Step {
  /** Finds the item, and in it the words that are typed, pressed or opened. */
  readonly text: RegExp;
  do(words: string[]): Promise<unknown>;
}

/** Returns the paragraphs and list items of a section, each with its own code blocks, in one line of prose. */
export function itemsOf(file: string, heading: string): string[] {
  const text = readDocument(file);
  const [, ...after] = text.split(`\n## ${heading}\n`);
  const [section = ''] = after.join('').split(/^## /m);
  return section
    .split(/\n\n(?! )|\n(?=- |\d+\. )/)
    .map(item => item.trim())
    .filter(Boolean);
}

/**
 * Does the steps in the order of the list, which is that of an evening.
 *
 * @throws Error unless each item is one step's, and each step finds an item
 */
export async function walk(items: readonly string[], steps: readonly Step[]): Promise<void> {
  const prose = items.map(item => item.replaceAll(/\s+/g, ' '));
  const walkedBy = (item: string) => steps.filter(({ text }) => text.test(item)).length;
  expect(prose.filter(item => walkedBy(item) !== 1)).toEqual([]);
  for (const step of steps) {
    const found = prose.map(item => step.text.exec(item)).find(Boolean);
    expect(found, `${step.text} is in no item`).toBeTruthy();
    const [, ...words] = found!;
    await step.do(words);
  }
}
