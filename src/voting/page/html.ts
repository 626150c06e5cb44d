/** Markup that is safe to send. Only `html` makes it, and `html` escapes every text that it is given. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** Nothing is written for `undefined`, `null` and `false`, so that `condition && html...` reads well. */
export type Fragment = Markup | string | number | undefined | null | false | readonly Fragment[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Attribute values MUST stand in double quotes in the template: an unquoted one ends at a space. */
export function html(parts: TemplateStringsArray, ...values: readonly Fragment[]): Markup {
  let text = parts[0] ?? '';
  for (const [index, value] of values.entries()) text += render(value) + (parts[index + 1] ?? '');
  return new Markup(text);
}

export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => ESCAPES[character] ?? character);
}

function render(value: Fragment): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  return escapeText(String(value));
}
