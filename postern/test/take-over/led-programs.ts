import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DEMO_SEED } from '../../../server/src/endpoints/operator/seed/read-seed.ts'
import { setStage } from '../../../server/test/stage/postern.ts'

const root = resolve(import.meta.dirname, '../../..')
const MAIN = join(root, 'postern/src/cli/main.js')

/** A folder with the packages of the repository, for programs that import clients. */
export function programFolder(): { path: string; write(name: string, text: string): string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'postern-led-'))
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'))
  return {
    path,
    write(name, text) {
      writeFileSync(join(path, name), text)
      return join(path, name)
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** The demo seed, with another callback. */
export const demoSeed = (callback?: string) => {
  const seed = JSON.parse(readFileSync(DEMO_SEED, 'utf8'))
  if (callback) seed.apps[0].callback_urls = [callback]
  return seed
}

/** Postern as `POSTERN_DIALECT=x npx postern` starts it. */
export const demoStage = (callback?: string) => setStage({ seed: demoSeed(callback), environment: { POSTERN_DIALECT: 'x' } })

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** An environment in which no name can be resolved by a proxy or a certificate of this machine's user. */
export const plainEnvironment = (more: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TMPDIR: process.env.TMPDIR,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  ...more,
})

interface SpawnOptions {
  cwd: string
  environment?: Record<string, string>
  input?: string
}

/** Starts a process of Node. */
export const spawnNode = (words: readonly string[], { cwd, environment }: SpawnOptions) =>
  spawn(process.execPath, words, { cwd, env: plainEnvironment(environment) as NodeJS.ProcessEnv })

/** Runs Node to its end. */
export async function runNode(words: readonly string[], options: SpawnOptions): Promise<Ended> {
  const child = spawnNode(words, options)
  child.stdin.end(options.input ?? '')
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const [code, signal] = await once(child, 'close')
  return { code, signal, stdout, stderr }
}

/** `postern <words>`. */
export const postern = (words: readonly string[], options: SpawnOptions): Promise<Ended> => runNode([MAIN, ...words], options)

/** The words of `postern <words>` for `spawnNode`. */
export const posternWords = (...words: string[]) => [MAIN, ...words]
