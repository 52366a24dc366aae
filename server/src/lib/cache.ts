/** Values that are read once and kept in memory until they may have changed. */
export interface Kept<Value> {
  known(key: string): Value | undefined
  /** Reads a value and keeps it. All that ask at once share a reading; one that is forgotten meanwhile is read again. */
  load(key: string, read: () => Promise<Value>): Promise<Value>
  forget(key: string): void
  /** Forgets those that are chosen, or all. */
  forgetWhere(isChosen?: (value: Value) => boolean): void
}

/** Keeps, of the values that may be kept, at most `most`: those that were asked for last, give or take half of them. */
export function createKept<Value>(most: number, mayBeKept: (value: Value) => boolean): Kept<Value> {
  /** When this half is full it becomes the former, and the former is forgotten as a whole: forgetting the oldest one by one costs more. */
  let recent = new Map<string, Value>()
  let former = new Map<string, Value>()
  /** Being read. One that is forgotten meanwhile is not in here any more. */
  const reading = new Map<string, Promise<Value>>()

  const keep = (key: string, value: Value) => {
    if (!mayBeKept(value)) return
    if (recent.size >= most / 2) {
      former = recent
      recent = new Map()
    }
    recent.set(key, value)
  }

  const known = (key: string): Value | undefined => {
    const value = recent.get(key)
    if (value !== undefined) return value
    const before = former.get(key)
    if (before !== undefined) keep(key, before)
    return before
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
    known,
    load,
    forget(key) {
      recent.delete(key)
      former.delete(key)
      reading.delete(key)
    },
    forgetWhere(isChosen = () => true) {
      reading.clear()
      for (const half of [recent, former]) for (const [key, value] of half) if (isChosen(value)) half.delete(key)
    },
  }
}
