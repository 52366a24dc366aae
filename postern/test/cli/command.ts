import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { OPERATOR_TOKEN } from '../../../server/test/stage/postern.ts'

export const root = resolve(import.meta.dirname, '../../..')

/** The file that `postern` runs. */
export const MAIN = join(root, 'postern/src/cli/main.js')

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface CommandOptions {
  /** Where Postern listens, as POSTERN_URL. */
  url?: string
  environment?: Record<string, string>
  cwd?: string
  stdin?: string
}

/** The environment of a command: nothing of the machine's that Postern reads, and the operator token of the tests. */
export const environmentOf = ({ url, environment }: CommandOptions): Record<string, string> => {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('POSTERN_'))
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    ...(url !== undefined && { POSTERN_URL: url }),
    POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
    ...environment,
  }
}

/** Starts `postern` in a process of its own. */
export const startCommand = (args: readonly string[], options: CommandOptions = {}) =>
  spawn(process.execPath, [MAIN, ...args], { cwd: options.cwd ?? tmpdir(), env: environmentOf(options), stdio: 'pipe' })

/** Runs `postern` in a process of its own, and resolves with how it ended: for a test of a process, and once for each way to end. */
export async function runAlone(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const child = startCommand(args, options)
  child.stdin.on('error', () => {})
  child.stdin.end(options.stdin ?? '')
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}

/** A command for a process that runs many. */
export interface Order {
  args: readonly string[]
  environment: Record<string, string>
  cwd: string
  stdin: string
}

/** Processes that wait for a command: most of what a command costs is the start of its process. */
const waiting: ChildProcess[] = []

function startProcess(): ChildProcess {
  const program = join(import.meta.dirname, 'commands-process.ts')
  return spawn(process.execPath, [program], { env: environmentOf({}), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
}

/** Runs `postern` as `runAlone` does, in a process that other commands may have used and will use. */
export async function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const child = waiting.pop() ?? startProcess()
  child.ref()
  child.channel!.ref()
  child.send({ args, environment: environmentOf(options), cwd: options.cwd ?? tmpdir(), stdin: options.stdin ?? '' } satisfies Order)
  const heard = new AbortController()
  const { signal } = heard
  const ended = await Promise.race([
    once(child, 'message', { signal }).then(([message]) => message as Ended),
    once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`postern ${args.join(' ')} ended its process with ${code}`)
    }),
  ]).finally(() => heard.abort())
  child.unref()
  child.channel!.unref()
  waiting.push(child)
  return ended
}

/** Runs commands one after the other. */
export async function runCommands(commands: readonly (readonly string[])[], options: CommandOptions = {}): Promise<Ended[]> {
  const all: Ended[] = []
  for (const args of commands) all.push(await runCommand(args, options))
  return all
}

/** Ends the processes of `runCommand`, when the last test of a file has ended. */
export async function endCommands(): Promise<void> {
  const ends = waiting.splice(0).map((child) => {
    const ended = once(child, 'exit')
    child.ref()
    child.disconnect()
    return ended
  })
  await Promise.all(ends)
}
