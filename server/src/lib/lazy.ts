/** Returns a function that makes a value with its first call, and returns the same one from then on. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * The same for a value that takes time: those who ask meanwhile share it. A failure is not kept, so that whoever asks next calls `make` again.
 * An `import()` in it fails again if the module threw while it was evaluated, because Node keeps that.
 */
export function lazyAsync<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  const begin = async () => {
    try {
      return await make()
    } catch (error) {
      made = undefined
      throw error
    }
  }
  return () => {
    made ??= begin()
    return made
  }
}

/** Returns a function that makes a value with its first call for an object, and returns the same one for that object from then on. */
export function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { value: Value }>()
  return (key) => {
    const known = made.get(key) ?? { value: make(key) }
    made.set(key, known)
    return known.value
  }
}
