/** The winner of a show's poll on air, where it comes on a press of its own. Pure. */

export interface AiredWinner {
  /** The round whose winner has come; null for none. */
  readonly round: number | null;
  /** The next press has brought back the table. */
  readonly past?: true | undefined;
}

export type WinnerState = 'pending' | 'shown' | 'past';

/** Undefined where the winner comes with the close. */
export function winnerStateOf(
  aired: AiredWinner | null | undefined,
  { round = 1 }: { readonly round?: number | undefined },
): WinnerState | undefined {
  if (!aired) return undefined;
  if (aired.round !== round) return 'pending';
  return aired.past ? 'past' : 'shown';
}

/** What the next step brings; undefined for nothing. @param isShown the poll is closed, and its results are public */
export function winnerCueOf(
  aired: AiredWinner | null | undefined,
  poll: { readonly round?: number | undefined },
  isShown: boolean,
): 'winner' | 'table' | undefined {
  const state = isShown ? winnerStateOf(aired, poll) : undefined;
  if (state === 'pending') return 'winner';
  return state === 'shown' ? 'table' : undefined;
}
