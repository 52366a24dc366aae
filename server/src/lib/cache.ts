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

/** Wrapped, because a cached value may be undefined. */
interface Entry<Value> {
  value: Value
}

/** Caches at most `max` values for which `isCacheable` is true; the least recently used is evicted first. */
export function createCache<Value>(max: number, isCacheable: (value: Value) => boolean): Cache<Value> {
  /** Made with the first value: the library reserves room for `max`, which for all caches together is a tenth of a start. */
  let entries: LRUCache<string, Entry<Value>> | undefined
  const add = (key: string, value: Value) => {
    entries ??= new LRUCache({ max })
    entries.set(key, { value })
  }
  /** Reads in progress, without invalidated ones. */
  const loads = new Map<string, Promise<Value>>()

  const load = (key: string, read: () => Promise<Value>): Promise<Value> => {
    const running = loads.get(key)
    if (running) return running
    const isCurrent = () => loads.get(key) === own
    const own: Promise<Value> = read()
      .then((value) => {
        if (!isCurrent()) return load(key, read)
        if (isCacheable(value)) add(key, value)
        return value
      })
      .finally(() => isCurrent() && loads.delete(key))
    loads.set(key, own)
    return own
  }

  return {
    get: (key) => entries?.get(key)?.value,
    load,
    invalidate(key) {
      entries?.delete(key)
      loads.delete(key)
    },
    invalidateWhere(isStale = () => true) {
      loads.clear()
      for (const [key, { value }] of entries?.entries() ?? []) if (isStale(value)) entries!.delete(key)
    },
  }
}
