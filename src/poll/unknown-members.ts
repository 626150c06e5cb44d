/**
 * Names of the members that nobody here knows, beside the wrapper of a body and inside it, so that a typing mistake never
 * passes unseen.
 *
 * @param wrapper the one member of the body, like `poll`
 * @param known what may stand inside it
 */
export function unknownMembers(body: unknown, wrapper: string, known: object): string[] {
  if (!isRecord(body)) return [];
  const wrapped = body[wrapper];
  const beside = Object.keys(body).filter(name => name !== wrapper);
  const inside = isRecord(wrapped) ? Object.keys(wrapped).filter(name => !Object.hasOwn(known, name)) : [];
  return [...beside, ...inside];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
