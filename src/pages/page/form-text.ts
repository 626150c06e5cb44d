/** Returns the text of a form's field; empty for none, and for several of that name. */
export function formText(form: unknown, name: string): string {
  const value = Object(form)[name];
  return typeof value === 'string' ? value : '';
}
