/** Numbers in the English sentences of a verification. */

export function grouped(count: number): string {
  return count.toLocaleString('en');
}

export function counted(ballots: number): string {
  return `${grouped(ballots)} ${ballots === 1 ? 'ballot' : 'ballots'}`;
}
