import type { DatabaseSync } from 'node:sqlite'
import type { Migrated } from '../../migrate.ts'
import type { MemoryTables } from '../engine.ts'

interface Kept {
  bytes: Uint8Array
  migrated: Migrated
}

/** A process has one declaration; the tests of this repository have some more. */
const MOST_KEPT = 4

/** By declaration. What is kept holds no row but those that every migration makes, and follows from the code alone. */
const kept = new Map<string, Kept>()

/** Node before 26.1 can write a database in memory only by statements. */
export const memoryTables = (file: DatabaseSync): MemoryTables | undefined =>
  typeof file.deserialize === 'function'
    ? {
        copy(declaration) {
          const found = kept.get(declaration)
          if (found) file.deserialize(found.bytes)
          return found?.migrated
        },
        keep(declaration, migrated) {
          if (kept.size < MOST_KEPT) kept.set(declaration, { bytes: file.serialize(), migrated })
        },
      }
    : undefined
