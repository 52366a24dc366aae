/** Counts the deliveries of each event that are not acknowledged, and knows the oldest event that has one. Sequence numbers are added in growing order. */
export function createUnacknowledged() {
  let counts = new Map<number, number>()
  return {
    add(sequence: number) {
      counts.set(sequence, (counts.get(sequence) ?? 0) + 1)
    },
    remove(sequence: number) {
      const left = (counts.get(sequence) ?? 1) - 1
      if (left > 0) counts.set(sequence, left)
      else counts.delete(sequence)
    },
    /** Undefined when every event is acknowledged. */
    oldest: (): number | undefined => counts.keys().next().value,
    /** Puts them back in growing order after some were added out of it. */
    sort() {
      counts = new Map([...counts].sort(([a], [b]) => a - b))
    },
    clear: () => counts.clear(),
  }
}
