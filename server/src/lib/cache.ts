import { LRUCache } from 'lru-cache'

/** An in-memory cache whose concurrent loads of one key share a single read. */
export interface Cache<Value> {
  get(key: string): Value | undefined
  /** Reads a value and caches it. If the key is invalidated during the read, it is read again before the value is returned. */
  load(key: string, read: () => Promise<Value>): Promise<Value>
  invalidate(key: string): void
  /** Invalidates the values for which `isStale` is true, or all of them. */
  invalidateWhere(isStale?: (value: Value) => boolean): void
}

/**
 * At most `max` values; the least recently used is evicted first. They are counted by size, because for a number of entries the library
 * reserves all their room at once: 5 ms for a hundred thousand, at each start.
 */
export const leastRecentlyUsed = <Value extends object | number>(max: number) =>
  new LRUCache<string, Value>({ maxSize: max, sizeCalculation: () => 1 })

/** Wrapped, because a cached value may be undefined. */
interface Entry<Value> {
  value: Value
}

/** Caches at most `max` values for which `isCacheable` is true; the least recently used is evicted first. */
export function createCache<Value>(max: number, isCacheable: (value: Value) => boolean): Cache<Value> {
  const entries = leastRecentlyUsed<Entry<Value>>(max)
  /** Reads in progress, without invalidated ones. */
  const loads = new Map<string, Promise<Value>>()

  const load = (key: string, read: () => Promise<Value>): Promise<Value> => {
    const running = loads.get(key)
    if (running) return running
    const isCurrent = () => loads.get(key) === own
    const own: Promise<Value> = read()
      .then((value) => {
        if (!isCurrent()) return load(key, read)
        if (isCacheable(value)) entries.set(key, { value })
        return value
      })
      .finally(() => isCurrent() && loads.delete(key))
    loads.set(key, own)
    return own
  }

  return {
    get: (key) => entries.get(key)?.value,
    load,
    invalidate(key) {
      entries.delete(key)
      loads.delete(key)
    },
    invalidateWhere(isStale = () => true) {
      loads.clear()
      for (const [key, { value }] of entries.entries()) if (isStale(value)) entries.delete(key)
    },
  }
}
