/** A text in three parts: what it has in common with another at its beginning, what differs, and what is the same again. */
export type Parted = readonly [before: string, differs: string, after: string]

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one[length] === other[length]) length++
  return length
}

const reversed = (text: string) => text.split('').reverse().join('')

/** Parts two texts where they differ. A text in which nothing stands there gets the character behind it. */
export function firstDifference(one: string, other: string): [Parted, Parted] {
  const start = commonStart(one, other)
  const [rest, otherRest] = [one.slice(start), other.slice(start)]
  const end = commonStart(reversed(rest), reversed(otherRest))
  const part = (text: string): Parted => {
    const until = Math.max(text.length - end, start + 1)
    return [text.slice(0, start), text.slice(start, until), text.slice(until)]
  }
  return [part(one), part(other)]
}
