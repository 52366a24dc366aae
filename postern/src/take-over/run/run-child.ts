import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { linkFilter } from './link-filter.ts'

/** What ends a child: an exit code, or a signal. */
export type Ending = { code: number } | { signal: NodeJS.Signals }

export interface ChildOptions {
  environment: Record<string, string | undefined>
  /** The origin of the pages where users sign in; undefined when links stay as they are. */
  pages: string | undefined
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT', 'SIGQUIT']
/** A terminal sends these to every process of the group, so the child has them already. */
const OF_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

const isAtTerminal = () => process.stdin.isTTY === true || process.stdout.isTTY === true || process.stderr.isTTY === true

/** Passes signals on to the child, and outlives them to tell how it ended. */
function passSignals(child: ChildProcess): Disposable {
  const isLeft = (signal: NodeJS.Signals) => OF_TERMINAL.includes(signal) && isAtTerminal()
  const handlers = SIGNALS.map((signal) => [signal, () => void (isLeft(signal) || child.kill(signal))] as const)
  for (const [signal, pass] of handlers) process.on(signal, pass)
  return {
    [Symbol.dispose]() {
      for (const [signal, pass] of handlers) process.off(signal, pass)
    },
  }
}

/** Passes output on with its links led to Postern. A reader that goes away is gone for the child too. */
function pass(from: Readable, to: Writable, pages: string): Promise<unknown> {
  const filter = from.pipe(linkFilter(pages))
  const ended = Promise.race([once(filter, 'end'), once(from, 'close')])
  to.on('error', () => from.destroy())
  filter.pipe(to, { end: false })
  return ended
}

/** Whether the child gets a pipe, so that links in what it prints can be led: never in place of a terminal. */
const isFiltered = (stream: NodeJS.WriteStream, pages: string | undefined): pages is string => pages !== undefined && stream.isTTY !== true

/** Starts a program with the terminal, the input and the signals of this process; answers how it ended. Rejects when it cannot be started. */
export async function runChild(command: string, words: readonly string[], { environment, pages }: ChildOptions): Promise<Ending> {
  const outputs = [process.stdout, process.stderr]
  const child = spawn(command, words, {
    env: environment,
    stdio: ['inherit', ...outputs.map((stream) => (isFiltered(stream, pages) ? ('pipe' as const) : ('inherit' as const)))],
    windowsHide: false,
  })
  using _ = passSignals(child)
  const passed = [child.stdout, child.stderr].flatMap((from, place) => (from && pages ? [pass(from, outputs[place]!, pages)] : []))
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  await Promise.all(passed)
  return signal ? { signal } : { code: code ?? 1 }
}

/** The exit code by which a shell says that a signal ended a program. */
export const codeOf = (ending: Ending): number => ('code' in ending ? ending.code : 128 + constants.signals[ending.signal])
