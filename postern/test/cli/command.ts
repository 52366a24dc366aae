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

/** Starts `postern` in a process of its own. */
export const startCommand = (args: readonly string[], options: CommandOptions = {}) =>
  spawn(process.execPath, [MAIN, ...args], { cwd: options.cwd ?? tmpdir(), env: environmentOf(options), stdio: 'pipe' })

/** Runs `postern` and resolves with how it ended. */
export async function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const child = startCommand(args, options)
  child.stdin.on('error', () => {})
  child.stdin.end(options.stdin ?? '')
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}
