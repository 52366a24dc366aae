/** Values that are read once and kept in memory until they may have changed. */
export interface Kept<Value> {
  known(key: string): Value | undefined
  /** Reads a value and keeps it. All that ask at once share a reading; one that is forgotten meanwhile is read again. */
  load(key: string, read: () => Promise<Value>): Promise<Value>
  forget(key: string): void
  /** Forgets those that are chosen, or all. */
  forgetWhere(isChosen?: (value: Value) => boolean): void
}

/** Keeps, of the values that may be kept, at most `most`; the oldest goes first. */
export function createKept<Value>(most: number, mayBeKept: (value: Value) => boolean): Kept<Value> {
  const values = new Map<string, Value>()
  /** Being read. One that is forgotten meanwhile is not in here any more. */
  const reading = new Map<string, Promise<Value>>()

  const keep = (key: string, value: Value) => {
    if (!mayBeKept(value)) return
    if (values.size >= most) values.delete(values.keys().next().value!)
    values.set(key, value)
  }

  const load = (key: string, read: () => Promise<Value>): Promise<Value> => {
    const begun = reading.get(key)
    if (begun) return begun
    const isCurrent = () => reading.get(key) === mine
    const mine: Promise<Value> = read()
      .then((value) => {
        if (!isCurrent()) return load(key, read)
        keep(key, value)
        return value
      })
      .finally(() => isCurrent() && reading.delete(key))
    reading.set(key, mine)
    return mine
  }

  return {
    known: (key) => values.get(key),
    load,
    forget(key) {
      values.delete(key)
      reading.delete(key)
    },
    forgetWhere(isChosen = () => true) {
      reading.clear()
      for (const [key, value] of values) if (isChosen(value)) values.delete(key)
    },
  }
}
