import type { Clock } from '../../../../lib/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../../../lib/time.ts'
import type { StorageLog } from '../../../storage-log.ts'
import { createFingerprints, type Fingerprints } from './fingerprints.ts'
import type { NonceFile } from './nonce-file.ts'
import type { NonceFolder } from './nonce-folder.ts'

/** Nonces that expire within the same two minutes share a file, which is removed when the last of them has expired. */
const WINDOW_MS = 2 * MINUTE_MS

/** How often the files are looked for. */
const LOOK_EVERY_MS = SECOND_MS

/**
 * With more windows than this, those that have ended are dropped although the clock may have stepped: each window keeps a file open. A step
 * that is not reversed leads to this many after three hours.
 */
const MAX_WINDOWS = 100

/** The fingerprints of each window, by its number. */
export type NonceCopy = ReadonlyMap<number, Uint32Array>

interface Window {
  number: number
  known: Fingerprints
  file: NonceFile | undefined
}

/** The number of the window in which a nonce expires. */
export const windowAt = (expiresAtMs: number): number => Math.floor(expiresAtMs / WINDOW_MS)

const endOf = ({ number }: Window) => (number + 1) * WINDOW_MS

/** Fingerprints in memory, and in the files of a folder, by the two minutes in which they expire. */
export interface NonceWindows {
  count(): number
  has(high: number, low: number): boolean
  /** Writes fingerprints of one window, then adds them. Throws if they cannot be written; none is added then. */
  add(number: number, words: Uint32Array): void
  /** Drops the windows that have ended by the time without steps; if there are too many, those that have ended by the wall clock. */
  dropEnded(unsteppedMs: number, nowMs: number): void
  copy(): NonceCopy
  /** Replaces all windows, or throws and keeps them; a file that is lost by it is written again. */
  replace(copy: NonceCopy): void
  close(): void
}

function addAll(known: Fingerprints, words: Uint32Array) {
  for (let at = 0; at < words.length; at += 2) known.add(words[at]!, words[at + 1]!)
}

function windowOf(number: number, words: Uint32Array, file: NonceFile | undefined): Window {
  const known = createFingerprints()
  addAll(known, words)
  return { number, known, file }
}

/** The windows of a folder, with what was found in it. */
export function createNonceWindows(folder: NonceFolder, clock: Clock, log?: StorageLog): NonceWindows {
  let windows = folder.found.map(({ number, words, file }) => windowOf(number, words, file))
  let lookedMs = clock.monotonic()

  const addWindow = (number: number) => {
    const words = new Uint32Array(0)
    const window = windowOf(number, words, folder.create(number, words))
    windows.push(window)
    return window
  }

  const remove = ({ number, file }: Window) => {
    file?.close()
    folder.remove(number)
  }

  /** Writes a file again that was deleted, moved or replaced. */
  const replaceLost = () => {
    if (clock.monotonic() - lookedMs < LOOK_EVERY_MS) return
    for (const window of windows) {
      if (!window.file || window.file.isInPlace()) continue
      const lost = window.file
      window.file = folder.create(window.number, window.known.words())
      lost.close()
      log?.warn({ file: window.number }, 'a file of used nonces was deleted or replaced while it was in use: it is written again')
    }
    lookedMs = clock.monotonic()
  }

  return {
    count: () => windows.reduce((count, { known }) => count + known.size, 0),
    has: (high, low) => windows.some(({ known }) => known.has(high, low)),
    add(number, words) {
      replaceLost()
      const window = windows.find((each) => each.number === number) ?? addWindow(number)
      window.file?.append(words)
      addAll(window.known, words)
    },
    dropEnded(unsteppedMs, nowMs) {
      const untilMs = windows.length < MAX_WINDOWS ? Math.min(unsteppedMs, nowMs) : nowMs
      if (windows.every((window) => endOf(window) > untilMs)) return
      windows.filter((window) => endOf(window) <= untilMs).forEach(remove)
      windows = windows.filter((window) => endOf(window) > untilMs)
    },
    copy: () => new Map(windows.map(({ number, known }) => [number, known.words()])),
    replace(copy) {
      const added: Window[] = []
      try {
        for (const [number, words] of copy) added.push(windowOf(number, words, folder.create(number, words)))
      } catch (error) {
        added.forEach(remove)
        throw error
      }
      for (const window of windows) {
        if (copy.has(window.number)) window.file?.close()
        else remove(window)
      }
      windows = added
    },
    close() {
      for (const { file } of windows) file?.close()
      windows = []
    },
  }
}
