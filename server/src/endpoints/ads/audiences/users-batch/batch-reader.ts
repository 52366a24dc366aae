import { Problem } from '../../../../api/declare/problem.ts'
import { createKeyedMutex, createSemaphore, TooManyWaiting } from '../../../../lib/mutex.ts'
import { startThread, type ThreadCalls } from '../../../../lib/thread-calls.ts'
import type { BatchKind } from './batch-rules.ts'
import type { ReadBatch } from './read-batch.ts'
import type { ReaderMethods } from './reader-thread.ts'

/** So many batches are read and written at the same time; one is read and one written, the others wait with their bodies. */
const AT_ONCE = 4
const MOST_WAITING = 64
/** Batches of an account are taken one after the other, so that one account cannot hold up all others. So many of them wait. */
const MOST_WAITING_OF_ACCOUNT = 16
const RETRY_AFTER_SECONDS = '1'

/** The memory of the thread: the parsed form of a body of nested empty arrays, the worst that there is, takes some 140 MB. */
const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 }

/** A buffer with the bytes of a body and nothing else; where it can be, that of the body itself, which is empty once this is moved. */
const ownBuffer = (body: Buffer): Uint8Array<ArrayBuffer> =>
  body.byteLength === body.buffer.byteLength ? new Uint8Array(body.buffer as ArrayBuffer) : new Uint8Array(body)

export interface SentBatch {
  kind: BatchKind
  accountId: string
  nowMs: number
}

/** Reads batches of users in a thread of its own, which is started with the first one. */
export interface BatchReader {
  /**
   * Reads a batch that an account sends, lets it be handled and resolves to the result. At most `AT_ONCE` batches are on their way between
   * the two, and one of an account.
   * @throws a Problem 503 with `retry-after` while too many wait.
   */
  read<T>(body: Buffer, sent: SentBatch, handle: (batch: ReadBatch) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function createBatchReader(): BatchReader {
  const admit = createSemaphore(AT_ONCE + MOST_WAITING, 0)
  const limitAccount = createKeyedMutex(MOST_WAITING_OF_ACCOUNT)
  const limit = createSemaphore(AT_ONCE, MOST_WAITING)
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
    async read(body, { kind, accountId, nowMs }, handle) {
      const readNow = async () => {
        const own = ownBuffer(body)
        return handle(await reader().call('read', { body: own, kind, nowMs }, [own.buffer]))
      }
      try {
        return await admit(() => limitAccount(accountId, () => limit(readNow)))
      } catch (error) {
        if (!(error instanceof TooManyWaiting)) throw error
        const detail = 'Too many batches are waiting. Nothing was changed; retry in a moment.'
        throw new Problem('unavailable', { detail }, { headers: { 'retry-after': RETRY_AFTER_SECONDS } })
      }
    },
    async close() {
      if (!thread) return
      const { call, ended } = thread
      await call('close').catch(() => {})
      await ended
    },
  }
}
