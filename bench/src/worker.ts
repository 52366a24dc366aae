import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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

/** Starts a file with one argument, as a process of its own; resolves once it is ready. It exits when it is disposed of, or when this process exits. */
export async function startWorker<Request, Response>(file: string, argument: object): Promise<Worker<Request, Response>> {
  const child = fork(`${import.meta.dirname}/${file}`, [JSON.stringify(argument)], { env: cleanEnvironment() })
  const exited = once(child, 'exit')
  const crashed = exited.then(() => Promise.reject(new Error(`${file} has exited unexpectedly: see its output above`)))
  crashed.catch(() => {})

  const response = async (): Promise<Response> => {
    const done = new AbortController()
    const timeout = setTimeout(() => done.abort(new Error(`${file} has not responded within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS)
    try {
      const [message] = await Promise.race([once(child, 'message', { signal: done.signal }), crashed])
      if (message.error !== undefined) throw new Error(`${file}: ${message.error}`)
      return message.response
    } catch (error) {
      throw done.signal.aborted ? done.signal.reason : error
    } finally {
      clearTimeout(timeout)
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

/** The argument that this worker was started with. */
export const readArgument = <Argument>(): Argument => JSON.parse(process.argv[2]!)

/**
 * Answers requests of the parent process until the parent is gone, for whatever reason; then runs `close` and exits.
 * Signals are ignored: Ctrl-C in a terminal goes to the whole process group, and this worker has to close first.
 */
export function serve<Request, Response>(handle: (request: Request) => Promise<Response>, close: () => unknown) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  const send = (message: object) => void (process.connected && process.send!(message))
  process.on('message', (request: Request) => {
    handle(request).then(
      (response) => send({ response }),
      (error) => send({ error: String(error?.message ?? error) }),
    )
  })
  const exit = async () => {
    await close()
    process.exit(0)
  }
  process.once('disconnect', exit)
  if (process.connected) send({ response: 'ready' })
  else void exit()
}

/** An empty folder. Disposing of it deletes it. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'postern-bench-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
