import fc, { type StringConstraints } from 'fast-check';

const character = fc
  .oneof(...[0x7f, 0xffff, 0x10ffff].map(max => fc.nat(max)))
  .filter(code => code < 0xd800 || code > 0xdfff)
  .map(code => String.fromCodePoint(code));

/**
 * Returns texts of any characters but single surrogates. The unit `binary` of fast-check takes a
 * second to list them all.
 */
export function anyText(constraints: StringConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
