import { describe, expect, it } from 'vitest';
import { html, PageTemplate } from '../../src/pages/page/html.ts';

interface Voter {
  readonly token: string;
  readonly votes: number;
}

describe('a page template', () => {
  it('does not mistake values or texts for slots', () => {
    const marks: string[] = [];
    const template = new PageTemplate<Voter>(slot => {
      marks.push(slot(voter => voter.token).text);
      return html`slot-0;${'slot-deadbeef-0;'} ${slot(voter => voter.token)}`;
    });
    expect(template.fill({ token: marks[0]!, votes: 0 })).toBe(`slot-0;slot-deadbeef-0; ${marks[0]}`);
  });
});
