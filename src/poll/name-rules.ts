/** What names and keys look like. Browsers import this too, so it imports nothing. */

/** A show: 3 to 40 of `a-z`, `0-9` and `-`, and no `-` at the beginning. */
export const SHOW_NAME = /^[a-z0-9][a-z0-9-]{2,39}$/;
export const SHOW_NAME_RULE = 'must be 3 to 40 of a-z, 0-9 and -, and not begin with -';

/** Characters of a key, of whatever kind. */
export const MAX_KEY_LENGTH = 512;
