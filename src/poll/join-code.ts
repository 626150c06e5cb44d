/** Join codes: six digits that are typed in place of a link. Pure. */

/** Seven where many are live. */
export const JOIN_CODE = /^\d{6,7}$/;
/** A poll is found by its code for so long after its close. */
export const JOIN_VALID_MS = 24 * 3_600_000;
/** For so long after that, the code is not given out. */
export const JOIN_HELD_MS = 7 * 24 * 3_600_000;

const TYPED_BETWEEN = /[\s\p{Dash}\p{Cf}]/gu;
/** The zeros of the digits of Arabic, Persian and Devanagari keyboards; the full-width ones are left to NFKC. */
const ZEROS = [0x0660, 0x06f0, 0x0966];

/** @param typed with spaces, dashes and digits of any of our languages @returns undefined if it is no code */
export function parseJoinCode(typed: string): string | undefined {
  const code = typed
    .normalize('NFKC')
    .replace(TYPED_BETWEEN, '')
    .replace(/\p{Nd}/gu, digit => {
      const point = digit.codePointAt(0)!;
      const zero = ZEROS.find(zero => point >= zero && point < zero + 10);
      return zero === undefined ? digit : `${point - zero}`;
    });
  return JOIN_CODE.test(code) ? code : undefined;
}

/** @returns an address as it is read out: without its scheme */
export function addressInWords(url: string): string {
  return url.replace(/^https?:\/\//, '');
}

/** @returns groups of three from the end, with spaces that do not break */
export function formatJoinCode(code: string): string {
  return code.replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}
