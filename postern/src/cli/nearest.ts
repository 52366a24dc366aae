/** How many letters must be added, left out, changed or swapped with the next to get from one word to another. */
function distance(one: string, other: string): number {
  const rows = [...Array(one.length + 1).keys()].map((row) => [row, ...Array<number>(other.length).fill(0)])
  rows[0] = [...Array(other.length + 1).keys()]
  for (let row = 1; row <= one.length; row++)
    for (let column = 1; column <= other.length; column++) {
      const changed = rows[row - 1]![column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1)
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const swapped = isSwapped ? rows[row - 2]![column - 2]! + 1 : Number.POSITIVE_INFINITY
      rows[row]![column] = Math.min(rows[row - 1]![column]! + 1, rows[row]![column - 1]! + 1, changed, swapped)
    }
  return rows[one.length]![other.length]!
}

const PER_LETTERS = 3

/** The known word that was probably meant; undefined if none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(word.length / PER_LETTERS))
  const ranked = known.map((name) => ({ name, steps: name.startsWith(word) && word.length > 1 ? 1 : distance(word, name) }))
  return ranked.filter(({ steps }) => steps <= most).sort((one, other) => one.steps - other.steps)[0]?.name
}

/** ` Did you mean …?`, or nothing. */
export function didYouMean(word: string, known: readonly string[], before = ''): string {
  const name = nearest(word, known)
  return name === undefined ? '' : ` Did you mean ${before}${name}?`
}
