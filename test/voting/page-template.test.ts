import { describe, expect, it } from 'vitest';
import { html, PageTemplate } from '../../src/voting/page/html.ts';

interface Voter {
  readonly token: string;
  readonly votes: number;
}

describe('a page template', () => {
  it('fills each slot, also where it occurs more than once', () => {
    const template = new PageTemplate<Voter>(slot => {
      const token = slot(voter => voter.token);
      return html`<p title="${token}">${slot(({ votes }) => votes)} of ${'<5>'}${token}</p>`;
    });
    expect(template.fill({ token: 'one', votes: 1 })).toBe('<p title="one">1 of &lt;5&gt;one</p>');
    expect(template.fill({ token: 'two', votes: 0 })).toBe('<p title="two">0 of &lt;5&gt;two</p>');
  });

  it('escapes text in slots, and keeps markup', () => {
    const template = new PageTemplate<Voter>(
      slot => html`${slot(({ token }) => token)}${slot(({ votes }) => votes > 0 && html`<b>${votes}</b>`)}`,
    );
    expect(template.fill({ token: '<i>&"', votes: 0 })).toBe('&lt;i&gt;&amp;&quot;');
    expect(template.fill({ token: '', votes: 2 })).toBe('<b>2</b>');
  });

  it('without slots is constant', () => {
    const template = new PageTemplate<Voter>(() => html`all the same`);
    expect(template.fill({ token: '', votes: 0 })).toBe('all the same');
    expect(template.length).toBe(12);
  });

  it('does not mistake values or texts for slots', () => {
    const marks: string[] = [];
    const template = new PageTemplate<Voter>(slot => {
      marks.push(slot(voter => voter.token).text);
      return html`slot-0;${'slot-deadbeef-0;'} ${slot(voter => voter.token)}`;
    });
    expect(template.fill({ token: marks[0]!, votes: 0 })).toBe(`slot-0;slot-deadbeef-0; ${marks[0]}`);
  });
});
