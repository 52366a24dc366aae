import { Problem } from '../../../../api/declare/problem.ts'
import { createKeyedMutex, createSemaphore } from '../../../../lib/mutex.ts'
import { startThread, type ThreadCalls } from '../../../../lib/thread-calls.ts'
import type { BatchTerms, ReadBatch } from './read-batch.ts'
import type { ReaderMethods } from './reader-thread.ts'

/** So many batches are read and written at the same time; one is read and one written, the others wait with their bodies. */
const AT_ONCE = 4
const RETRY_AFTER_SECONDS = '1'

/** What a request takes in memory besides its body, while it waits. */
const REQUEST_BYTES = 16 * 1024

/** What batches may take in memory from when they are taken in until they are answered. */
interface BatchLimits {
  mostBytes: number
  /** One account cannot take the room of all others. */
  mostBytesOfAccount: number
}

/** One account has room for 1,500 batches of a usual size (§8), some 25 KB, and for all large bodies that are let in at the same time. */
const batchLimits: BatchLimits = { mostBytes: 96 * 1024 * 1024, mostBytesOfAccount: 64 * 1024 * 1024 }

/** Counts the bytes that batches hold, in all and of each account. */
function createRoom({ mostBytes, mostBytesOfAccount }: BatchLimits) {
  const ofAccounts = new Map<string, number>()
  let held = 0
  const add = (accountId: string, bytes: number) => {
    const left = (ofAccounts.get(accountId) ?? 0) + bytes
    held += bytes
    if (left === 0) ofAccounts.delete(accountId)
    else ofAccounts.set(accountId, left)
  }
  return {
    /** Whether a batch fits beside those that are held. One alone always does. */
    hasRoom(accountId: string, bytes: number) {
      const ofAccount = ofAccounts.get(accountId) ?? 0
      return held === 0 || (held + bytes <= mostBytes && (ofAccount === 0 || ofAccount + bytes <= mostBytesOfAccount))
    },
    async hold<T>(accountId: string, bytes: number, task: () => Promise<T>): Promise<T> {
      add(accountId, bytes)
      try {
        return await task()
      } finally {
        add(accountId, -bytes)
      }
    },
  }
}

function tooManyWaiting() {
  const detail = 'Too many batches are waiting. Nothing was changed; retry in a moment.'
  return new Problem('unavailable', { detail }, { headers: { 'retry-after': RETRY_AFTER_SECONDS } })
}

/** The memory of the thread: of a body with as many lists and objects as are let in, the parsed form takes some 65 MB. */
const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 }

/** A buffer with the bytes of a body and nothing else; where it can be, that of the body itself, which is empty once this is moved. */
const ownBuffer = (body: Buffer): Uint8Array<ArrayBuffer> =>
  body.byteLength === body.buffer.byteLength ? new Uint8Array(body.buffer as ArrayBuffer) : new Uint8Array(body)

export interface SentBatch extends BatchTerms {
  accountId: string
}

/** Reads batches of users in a thread of its own, which is started with the first one. */
export interface BatchReader {
  /**
   * Reads a batch that an account sends, lets it be handled and resolves to the result. At most `AT_ONCE` batches are on their way between
   * the two, and one of an account, so that one account cannot hold up all others. The others wait with their bodies.
   * @throws a Problem 503 with `retry-after` if there is no room for the batch beside those that wait.
   */
  read<T>(body: Buffer, sent: SentBatch, handle: (batch: ReadBatch) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function createBatchReader(limits: BatchLimits = batchLimits): BatchReader {
  const room = createRoom(limits)
  const limitAccount = createKeyedMutex()
  const limit = createSemaphore(AT_ONCE, Number.POSITIVE_INFINITY)
  let thread: ThreadCalls<ReaderMethods> | undefined

  function reader() {
    if (thread) return thread
    const started = startThread<ReaderMethods>(new URL('./reader-thread.ts', import.meta.url), {}, MEMORY)
    started.ended.then(() => {
      if (thread === started) thread = undefined
    })
    thread = started
    return started
  }

  return {
    async read(body, { accountId, ...terms }, handle) {
      const readNow = async () => {
        const own = ownBuffer(body)
        return handle(await reader().call('read', { body: own, terms }, [own.buffer]))
      }
      const bytes = body.length + REQUEST_BYTES
      if (!room.hasRoom(accountId, bytes)) throw tooManyWaiting()
      return room.hold(accountId, bytes, () => limitAccount(accountId, () => limit(readNow)))
    },
    async close() {
      if (!thread) return
      const { call, ended } = thread
      await call('close').catch(() => {})
      await ended
    },
  }
}
