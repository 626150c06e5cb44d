/** Names this short are one slip away from too many others. */
const SHORT = 6;

/** @returns whether somebody who wrote the one may have meant the other: case, underscores, one or two slips */
export function areAlmostAlike(given: string, meant: string): boolean {
  const [bareGiven, bareMeant] = [bare(given), bare(meant)];
  const slips = bareMeant.length < SHORT ? 0 : bareMeant.length < 2 * SHORT ? 1 : 2;
  if (Math.abs(bareGiven.length - bareMeant.length) > slips) return false;
  return haveLettersInCommon(bareGiven, bareMeant, slips) && distance(bareGiven, bareMeant) <= slips;
}

function bare(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

/** Whether so few slips may lead from one to the other: a distance takes a hundred times as long, and nearly all pairs are far apart. */
function haveLettersInCommon(a: string, b: string, slips: number): boolean {
  let others = 0;
  for (const letter of a) if (!b.includes(letter)) others += 1;
  return others <= slips;
}

/** Letters to leave out, put in, replace or swap with their neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    const [above, twoAbove] = [rows[i - 1] as number[], rows[i - 2]];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        twoAbove && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (twoAbove[j - 2] as number) + 1
          : replaced;
      row.push(Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, replaced, swapped));
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] as number;
}
