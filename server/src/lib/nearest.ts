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
const MOST_NAMED = 3
/** What is longer is no misspelt name: comparing it would cost more than it says. */
const MOST_LETTERS = 100

/** The known words that were probably meant: those with the fewest changes. None if no word is near. */
function nearest(word: string, known: readonly string[]): string[] {
  if (word.length > MOST_LETTERS) return []
  const most = Math.max(1, Math.floor(word.length / PER_LETTERS))
  const isNear = (name: string) => Math.abs(name.length - word.length) <= most
  const stepsTo = (name: string) => {
    if (name.startsWith(word) && word.length > 1) return 1
    const steps = isNear(name) ? distance(word, name) : Number.POSITIVE_INFINITY
    // Another word altogether, such as * for x.
    return steps < Math.max(word.length, name.length) ? steps : Number.POSITIVE_INFINITY
  }
  const ranked = known.map((name) => ({ name, steps: stepsTo(name) }))
  const fewest = ranked.reduce((least, { steps }) => Math.min(least, steps), Number.POSITIVE_INFINITY)
  if (fewest > most) return []
  return ranked.filter(({ steps }) => steps === fewest).map(({ name }) => name)
}

/** ` Did you mean …?` with the nearest of the known words, or nothing. */
export function didYouMean(word: string, known: readonly string[], before = ''): string {
  const names = nearest(word, known).slice(0, MOST_NAMED)
  return names.length === 0 ? '' : ` Did you mean ${names.map((name) => before + name).join(' or ')}?`
}

const isParameter = (step: string) => /^[:{]/.test(step)

/** The same for paths such as `/2/users/:id` or `/2/users/{id}`: as many steps, each of them near, with what was sent in place of parameters. Nothing for a path that is known. */
export function didYouMeanPath(sent: string, known: readonly string[], before = ''): string {
  const steps = sent.split('/')
  const filled = known.map((path) => path.split('/').map((step, at) => (isParameter(step) ? (steps[at] ?? step) : step)))
  const isNear = (step: string, at: number) => step === steps[at] || nearest(steps[at]!, [step]).length > 0
  const near = filled.filter((path) => path.length === steps.length && path.every(isNear)).map((path) => path.join('/'))
  return near.includes(sent) ? '' : didYouMean(sent, [...new Set(near)], before)
}
