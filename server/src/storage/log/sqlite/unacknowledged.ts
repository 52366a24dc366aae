/** Counts the unacknowledged deliveries of each event and finds the oldest event with one. Sequence numbers are added in ascending order. */
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
    /** Undefined if every event is acknowledged. */
    oldest: (): number | undefined => counts.keys().next().value,
    /** Restores ascending order after numbers were added out of order. */
    sort() {
      counts = new Map([...counts].sort(([a], [b]) => a - b))
    },
    clear: () => counts.clear(),
  }
}
