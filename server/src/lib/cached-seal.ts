import { LRUCache } from 'lru-cache'
import type { Seal } from './seal.ts'

const MAX_ENTRIES = 20_000

/**
 * The same seal, with opened values cached in memory: to decrypt costs more than to find. A value is found by its purpose and all of
 * its sealed text, so a secret that was changed or sealed anew is opened again. What cannot be opened is not cached.
 */
export function cacheOpened(seal: Seal, maxEntries = MAX_ENTRIES): Seal {
  const opened = new LRUCache<string, { plain: string }>({ max: maxEntries })
  return {
    ...seal,
    open(purpose, sealed) {
      const key = `${purpose}\n${sealed}`
      const known = opened.get(key)
      if (known) return known.plain
      const plain = seal.open(purpose, sealed)
      opened.set(key, { plain })
      return plain
    },
  }
}
