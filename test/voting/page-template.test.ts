import { describe, expect, it } from 'vitest';
import { html, PageTemplate } from '../../src/voting/page/html.ts';

interface Voter {
  readonly token: string;
  readonly votes: number;
}

describe('a page template', () => {
  it('puts in what differs, wherever and however often it was left open', () => {
    const template = new PageTemplate<Voter>(leaveOpen => {
      const token = leaveOpen(voter => voter.token);
      return html`<p title="${token}">${leaveOpen(({ votes }) => votes)} of ${'<5>'}${token}</p>`;
    });
    expect(template.fill({ token: 'one', votes: 1 })).toBe('<p title="one">1 of &lt;5&gt;one</p>');
    expect(template.fill({ token: 'two', votes: 0 })).toBe('<p title="two">0 of &lt;5&gt;two</p>');
  });

  it('escapes texts that are put in, and leaves markup as it is', () => {
    const template = new PageTemplate<Voter>(
      leaveOpen =>
        html`${leaveOpen(({ token }) => token)}${leaveOpen(({ votes }) => votes > 0 && html`<b>${votes}</b>`)}`,
    );
    expect(template.fill({ token: '<i>&"', votes: 0 })).toBe('&lt;i&gt;&amp;&quot;');
    expect(template.fill({ token: '', votes: 2 })).toBe('<b>2</b>');
  });

  it('with nothing left open is the text itself', () => {
    const template = new PageTemplate<Voter>(() => html`all the same`);
    expect(template.fill({ token: '', votes: 0 })).toBe('all the same');
    expect(template.length).toBe(12);
  });

  it('takes nothing that is put in, and no text that looks like one, for an open place', () => {
    const marks: string[] = [];
    const template = new PageTemplate<Voter>(leaveOpen => {
      marks.push(leaveOpen(voter => voter.token).text);
      return html`open-0;${'open-deadbeef-0;'} ${leaveOpen(voter => voter.token)}`;
    });
    expect(template.fill({ token: marks[0]!, votes: 0 })).toBe(`open-0;open-deadbeef-0; ${marks[0]}`);
  });
});
