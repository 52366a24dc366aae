import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
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

const startNode = (words: readonly string[], options: CommandOptions) =>
  spawn(process.execPath, words, { cwd: options.cwd ?? tmpdir(), env: environmentOf(options), stdio: 'pipe' })

/** Starts `postern` in a process of its own. */
export const startCommand = (args: readonly string[], options: CommandOptions = {}) => startNode([MAIN, ...args], options)

/** Runs `postern` and resolves with how it ended. */
export const runCommand = (args: readonly string[], options: CommandOptions = {}): Promise<Ended> =>
  endOf(startCommand(args, options), options)

/** Runs many commands, one after the other in one process: most of what a process costs is its start. */
export async function runCommands(commands: readonly (readonly string[])[], options: CommandOptions = {}): Promise<Ended[]> {
  const child = startNode([join(import.meta.dirname, 'commands-process.ts')], options)
  const { stdout, stderr } = await endOf(child, { stdin: JSON.stringify(commands) })
  assert.equal(stderr, '')
  return JSON.parse(stdout)
}

async function endOf(child: ReturnType<typeof startNode>, options: CommandOptions): Promise<Ended> {
  child.stdin.on('error', () => {})
  child.stdin.end(options.stdin ?? '')
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}
