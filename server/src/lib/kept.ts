/** Values that are read once and kept in memory until they may have changed. */
export interface Kept<Value> {
  known(key: string): Value | undefined
  /** Reads the value, and keeps it unless it is undefined, or anything was forgotten while it was read: then it may be stale. */
  load<Found extends Value | undefined>(key: string, read: () => Promise<Found>): Promise<Found>
  forget(key: string): void
  /** Forgets those that are chosen, or all. */
  forgetWhere(isChosen?: (value: Value) => boolean): void
}

/** Keeps at most `most` values; the oldest goes first. */
export function createKept<Value>(most: number): Kept<Value> {
  const values = new Map<string, Value>()
  let forgotten = 0

  return {
    known: (key) => values.get(key),
    async load(key, read) {
      const before = forgotten
      const value = await read()
      if (value === undefined || before !== forgotten) return value
      if (values.size >= most) values.delete(values.keys().next().value!)
      values.set(key, value)
      return value
    },
    forget(key) {
      forgotten += 1
      values.delete(key)
    },
    forgetWhere(isChosen = () => true) {
      forgotten += 1
      for (const [key, value] of values) if (isChosen(value)) values.delete(key)
    },
  }
}
