import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Writer } from './writer.ts'
import type { Call, Reply } from './writer-thread.ts'

type Result<Verb extends keyof Writer> = ReturnType<Writer[Verb]>
type Argument<Verb extends keyof Writer> = Parameters<Writer[Verb]>[0]

export interface WriterChannel {
  /** Calls the writer thread. Replies come in the order of the calls. `transferred` is moved to that thread. */
  call<Verb extends keyof Writer>(verb: Verb, argument?: Argument<Verb>, transferred?: ArrayBuffer[]): Promise<Result<Verb>>
  /** Resolves once the thread has ended. */
  ended: Promise<void>
}

/** A thread does not inherit the compile cache; it reads the folder from its environment. */
function threadEnvironment() {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

/** Starts the writer thread on the file at `path`. Every call rejects once the thread has ended or could not open the file. */
export function startWriter(path: string): WriterChannel {
  const thread = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: { path }, env: threadEnvironment() })
  const waiting: PromiseWithResolvers<unknown>[] = []
  let failure: unknown

  const fail = (error: unknown) => {
    failure ??= error
    for (const call of waiting.splice(0)) call.reject(failure)
  }
  thread.on('message', (reply: Reply) => {
    const call = waiting.shift()!
    if ('error' in reply) call.reject(Object.assign(reply.error as Error, { errcode: reply.errcode }))
    else call.resolve(reply.value)
  })
  thread.on('error', fail)
  const ended = new Promise<void>((resolve) => {
    thread.once('exit', () => {
      fail(new Error('the thread of the event log has ended'))
      resolve()
    })
  })

  return {
    call(verb, argument, transferred = []) {
      if (failure) return Promise.reject(failure)
      const call = Promise.withResolvers<unknown>()
      waiting.push(call)
      thread.postMessage({ verb, argument } satisfies Call, transferred)
      return call.promise as Promise<never>
    },
    ended,
  }
}
