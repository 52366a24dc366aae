/** A line of a comparison: in both texts, in the first alone, in the second alone. */
export interface DiffLine {
  mark: ' ' | '-' | '+'
  text: string
}

/** So many cells of the table are filled; where two texts differ in more, all lines of the first stand before all of the second. */
const MAX_CELLS = 4_000_000

const marked = (mark: DiffLine['mark'], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ mark, text }))

/** The lines of both, by their longest common subsequence. */
function byTable(one: readonly string[], other: readonly string[]): DiffLine[] {
  const width = other.length + 1
  if ((one.length + 1) * width > MAX_CELLS) return [...marked('-', one), ...marked('+', other)]
  /** At [i, j] the length for the lines from i and from j on. */
  const lengths = new Uint32Array((one.length + 1) * width)
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        one[i] === other[j] ? lengths[(i + 1) * width + j + 1]! + 1 : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      lines.push({ mark: ' ', text: one[i]! })
      i += 1
      j += 1
    } else if (j >= other.length || (i < one.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      lines.push({ mark: '-', text: one[i]! })
      i += 1
    } else {
      lines.push({ mark: '+', text: other[j]! })
      j += 1
    }
  }
  return lines
}

/** Compares two texts line by line. */
export function diffLines(first: string, second: string): DiffLine[] {
  const [one, other] = [first.split('\n'), second.split('\n')]
  const most = Math.min(one.length, other.length)
  let begin = 0
  while (begin < most && one[begin] === other[begin]) begin += 1
  let end = 0
  while (end < most - begin && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1
  return [
    ...marked(' ', one.slice(0, begin)),
    ...byTable(one.slice(begin, one.length - end), other.slice(begin, other.length - end)),
    ...marked(' ', one.slice(one.length - end)),
  ]
}
