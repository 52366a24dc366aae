import { readlinkSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { setPriority } from 'node:os'
import { dirname } from 'node:path'
import { type MessagePort, type ResourceLimits, Worker } from 'node:worker_threads'
import type { ThreadStart } from './thread-start.ts'

/** Functions with one argument that a thread serves. */
export type Methods<V> = { [Method in keyof V]: (argument: never) => unknown }

export interface Call {
  method: PropertyKey
  argument: unknown
}

/** Structured cloning drops the members of an error but its message, so what callers tell errors by is sent beside it. */
export type Reply = { value: unknown } | { error: unknown; members: object }

/** The reply to a call that threw. */
export function failed(error: unknown): Reply {
  const { errcode, code, unavailable } = error as Record<string, unknown>
  return { error, members: { errcode, code, unavailable } }
}

/** The member of a reply that is moved instead of copied. */
const movedIn = (value: unknown) => {
  const packed = (value as { packed?: unknown } | undefined)?.packed
  return packed instanceof ArrayBuffer ? [packed] : []
}

export const postReply = (port: MessagePort, reply: Reply) => port.postMessage(reply, 'value' in reply ? movedIn(reply.value) : [])

/** As `nice` has it: 0 is the usual priority, 19 the lowest. */
const LOWER_PRIORITY = 10

/** Lets the other threads of the process go first where cores are short. On Linux, where threads have priorities; elsewhere nothing happens. */
function lowerPriority() {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), LOWER_PRIORITY)
  } catch {}
}

/** Serves calls in a thread, one at a time and in order. A `close` ends it. A `packed` buffer of a result is moved. The thread has a lower priority than others. */
export async function serveCalls<V extends Methods<V>>(port: MessagePort, methods: V): Promise<void> {
  lowerPriority()
  const run = async ({ method, argument }: Call): Promise<Reply> => {
    try {
      return { value: await (methods[method as keyof V] as unknown as (argument: unknown) => unknown)(argument) }
    } catch (error) {
      return failed(error)
    }
  }
  let last = Promise.resolve()
  port.on('message', (call: Call) => {
    last = last.then(async () => {
      const reply = await run(call)
      postReply(port, reply)
      if (call.method === 'close') port.close()
    })
  })
}

export interface ThreadCalls<V> {
  /** Calls the thread. Replies come in the order of the calls; `moved` is moved to it. */
  call<Method extends keyof V>(
    method: Method,
    argument?: V[Method] extends (argument: infer A) => unknown ? A : never,
    moved?: ArrayBuffer[],
  ): Promise<V[Method] extends (...all: never) => infer R ? Awaited<R> : never>
  ended: Promise<void>
}

const START = new URL('./thread-start.ts', import.meta.url)

/** Starts a thread with the compile cache of this one, and a copy of the environment: database drivers read it. */
export function startWorker(file: URL, data: object, resourceLimits?: ResourceLimits): Worker {
  const folder = getCompileCacheDir()
  const start: ThreadStart = { module: file.href, compileCache: folder && dirname(folder) }
  return new Worker(START, { workerData: { ...data, start }, resourceLimits })
}

/**
 * Starts a thread that serves `V`. Every call rejects once it has ended or could not start. It keeps the process alive while it starts, while
 * a call waits, and once it was told to close.
 */
export function startThread<V>(file: URL, data: object, resourceLimits?: ResourceLimits): ThreadCalls<V> {
  const thread = startWorker(file, data, resourceLimits)
  const waiting: PromiseWithResolvers<unknown>[] = []
  let failure: unknown
  let isClosing = false

  const fail = (error: unknown) => {
    failure ??= error
    for (const call of waiting.splice(0)) call.reject(failure)
  }
  thread.on('message', (reply: Reply) => {
    const call = waiting.shift()!
    if (waiting.length === 0 && !isClosing) thread.unref()
    if ('error' in reply) call.reject(Object.assign(reply.error as Error, reply.members))
    else call.resolve(reply.value)
  })
  thread.on('error', fail)
  const ended = new Promise<void>((resolve) => {
    thread.once('exit', () => {
      fail(new Error(`the thread ${file.pathname.split('/').at(-1)} has ended`))
      resolve()
    })
  })
  return {
    call(method, argument, moved = []) {
      if (failure) return Promise.reject(failure)
      const call = Promise.withResolvers<unknown>()
      if (waiting.length === 0) thread.ref()
      isClosing ||= method === 'close'
      waiting.push(call)
      thread.postMessage({ method, argument } satisfies Call, moved)
      return call.promise as Promise<never>
    },
    ended,
  }
}
