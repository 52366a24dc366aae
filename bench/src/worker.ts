import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'

/** What was done within one sample. */
export interface Sample {
  count: number
  elapsedMs: number
  /** CPU time of the whole process, all threads. */
  cpuMicros: number
}

/** A child process that answers requests over IPC, one at a time. */
export interface Worker<Request, Response> extends AsyncDisposable {
  pid: number
  /** Rejects when the worker fails, exits, or does not respond within two minutes. */
  call(request: Request): Promise<Response>
}

/** Something that can be put under load for so many milliseconds. */
export type Sampler = Worker<{ ms: number }, Sample>

const TIMEOUT_MS = 120_000

/** The environment without settings of Postern, so that a run does not depend on the shell that starts it. */
export const cleanEnvironment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('POSTERN_')))

/** Starts a file of workers/ with one argument; resolves once it is ready. It exits when it is disposed of, or when this process exits. */
export async function startWorker<Request, Response>(file: string, argument: object): Promise<Worker<Request, Response>> {
  const child = fork(`${import.meta.dirname}/workers/${file}`, [JSON.stringify(argument)], { env: cleanEnvironment() })
  const exited = once(child, 'exit')
  const crashed = exited.then(() => Promise.reject(new Error(`${file} has exited unexpectedly: see its output above`)))
  crashed.catch(() => {})

  const timeout = async (signal: AbortSignal): Promise<never> => {
    await setTimeout(TIMEOUT_MS, undefined, { signal })
    throw new Error(`${file} has not responded within ${TIMEOUT_MS / 1000} s`)
  }

  const response = async (): Promise<Response> => {
    const done = new AbortController()
    const timedOut = timeout(done.signal)
    timedOut.catch(() => {})
    try {
      const [message] = await Promise.race([once(child, 'message', { signal: done.signal }), crashed, timedOut])
      if (message.error !== undefined) throw new Error(`${file}: ${message.error}`)
      return message.response
    } finally {
      done.abort()
    }
  }

  const stop = async () => {
    if (child.connected) child.disconnect()
    await exited
  }

  await response().catch(async (error) => {
    await stop()
    throw error
  })
  let last: Promise<unknown> = Promise.resolve()
  return {
    pid: child.pid!,
    call(request) {
      const called = last.then(() => {
        if (child.connected) child.send(request as object)
        return response()
      })
      last = called.catch(() => {})
      return called
    },
    [Symbol.asyncDispose]: stop,
  }
}
