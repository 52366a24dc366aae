import { hash } from 'node:crypto'
import type { Clock } from '../../../../lib/clock.ts'
import type { NonceStore } from '../../../nonces.ts'
import type { StorageLog } from '../../../storage-log.ts'
import { createBatchLoader } from '../../batch-loader.ts'
import { createUnsteppedNow } from '../../unstepped-clock.ts'
import { noFolder, openNonceFolder } from './nonce-folder.ts'
import { createNonceWindows, type NonceCopy, type NonceWindows, windowAt } from './nonce-windows.ts'

/** 350 MB of memory at most. A process would have to verify 35,000 signatures a second for eight minutes. */
const MAX_NONCES = 2 ** 24

/** Used nonces in memory and, unless the database is in memory too, in files that only this process writes. */
export interface NonceJournal extends NonceStore {
  /** The key of the fingerprints. */
  key: Buffer
  /** Throws if nonces cannot be written. Writes nothing, unless one could not be written before. */
  probe(): void
  /** Adds a nonce of a former version. */
  add(key: string, expiresAtMs: number): void
  /** Forgets all nonces. */
  clear(): void
  copy(): NonceCopy
  /** Replaces all nonces by those of a copy. */
  restore(copy: NonceCopy): void
  close(): void
}

interface NonceRequest {
  key: string
  expiresAtMs: number
  nowMs: number
}

/** Result codes of SQLite, by which an error is recognised as an outage. */
const SQLITE_FULL = 13
const SQLITE_IOERR = 10
const NO_SPACE = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EFBIG'])

const cannotRecord = (cause: unknown) => {
  const { code, message } = cause as NodeJS.ErrnoException
  const errcode = NO_SPACE.has(code) ? SQLITE_FULL : SQLITE_IOERR
  return Object.assign(new Error(`used nonces cannot be recorded: ${message}`, { cause }), { errcode })
}

/** The keyed fingerprint of a nonce: two words that are not both zero. Secret and key are texts of fixed lengths. */
export function fingerprintOf(secret: string, key: string): [high: number, low: number] {
  const digest = hash('sha256', secret + key, 'hex')
  const [high, low] = [Number.parseInt(digest.slice(0, 8), 16), Number.parseInt(digest.slice(8, 16), 16)]
  return [high, high === 0 && low === 0 ? 1 : low]
}

/** New nonces that expire in one window. */
interface Group {
  keys: string[]
  words: number[]
}

/** Adds what is new, with one `write` for each window: nearly always one. Of several equal nonces only the first can be accepted. */
function createAcceptAll(windows: NonceWindows, secret: string, maxNonces: number) {
  const tryAdd = (number: number, words: readonly number[]): true | Error => {
    try {
      if (windows.count() + words.length / 2 > maxNonces) throw new Error(`there are ${windows.count()} already`)
      windows.add(number, Uint32Array.from(words))
      return true
    } catch (error) {
      return cannotRecord(error)
    }
  }

  /** Puts a nonce into the group of its window, unless it is known. */
  const addTo = (groups: Map<number, Group>, { key, expiresAtMs }: NonceRequest) => {
    const [high, low] = fingerprintOf(secret, key)
    if (windows.has(high, low)) return false
    const number = windowAt(expiresAtMs)
    const group = groups.get(number) ?? { keys: [], words: [] }
    groups.set(number, group)
    group.keys.push(key)
    group.words.push(high, low)
    return true
  }

  return (requests: readonly NonceRequest[]): (boolean | Error)[] => {
    const groups = new Map<number, Group>()
    /** The result for the first request with a key; false for the others, unless it is an error. */
    const results = new Map<string, boolean | Error>()
    for (const request of requests) if (!results.has(request.key)) results.set(request.key, addTo(groups, request))
    for (const [number, { keys, words }] of groups) {
      const result = tryAdd(number, words)
      if (result !== true) for (const key of keys) results.set(key, result)
    }
    return requests.map(({ key }) => {
      const result = results.get(key)!
      if (result === true) results.set(key, false)
      return result
    })
  }
}

export interface JournalOptions {
  /** Undefined for a database in memory. */
  folder: string | undefined
  /** The key that the database has recorded. */
  knownKey?: Buffer | undefined
  clock: Clock
  log?: StorageLog | undefined
  maxNonces?: number
}

/**
 * Opens the used nonces of one process, and reads those that a former one left. Nonces of one turn of the event loop are written together,
 * without fsync, before they are accepted: they survive the process, but maybe not a power failure. When the wall clock steps forward,
 * nothing is deleted early.
 *
 * What is kept are 64-bit fingerprints, keyed so that nobody can choose nonces whose fingerprints collide. With n nonces stored, a new one is
 * taken for a used one with a probability of at most n / 2^64: 1 in 10^12 at the maximum.
 */
export function openNonceJournal({ folder, knownKey, clock, log, maxNonces = MAX_NONCES }: JournalOptions): NonceJournal {
  const unsteppedNow = createUnsteppedNow(clock)
  const place = folder === undefined ? noFolder() : openNonceFolder(folder, maxNonces, knownKey, log)
  const windows = createNonceWindows(place, clock, log)
  const acceptAll = createAcceptAll(windows, place.key.toString('hex'), maxNonces)
  let isClosed = false
  /** Whether a nonce could not be written since the last probe. */
  let hasFailed = false

  const accept = createBatchLoader<NonceRequest, boolean>(async (requests) => {
    if (isClosed) throw new Error('the used nonces are closed')
    windows.dropEnded(unsteppedNow(), Math.min(...requests.map(({ nowMs }) => nowMs)))
    const results = acceptAll(requests)
    hasFailed ||= results.some((result) => result instanceof Error)
    return results
  })

  return {
    key: place.key,
    accept: (key, expiresAtMs, nowMs) => accept({ key, expiresAtMs, nowMs }),
    probe() {
      if (!hasFailed) return
      try {
        place.tryCreate()
      } catch (error) {
        throw cannotRecord(error)
      }
      hasFailed = false
    },
    add(key, expiresAtMs) {
      const [result] = acceptAll([{ key, expiresAtMs, nowMs: 0 }])
      if (result instanceof Error) throw result
    },
    clear: () => windows.replace(new Map()),
    copy: windows.copy,
    restore: windows.replace,
    close() {
      isClosed = true
      windows.close()
    },
  }
}
