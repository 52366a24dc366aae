// Runs one Postern with the command of `npm start`, in a fresh folder. It stops with this process.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { PosternArgument, PosternInfo } from '../postern-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { cleanEnvironment } from '../worker.ts'
import { readArgument, serve } from './serve.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
/** What follows `node` in the start script: options and the file. */
const words = scripts.start.split(' ')
const options = words.slice(words.indexOf('node') + 1, -1)
/** The environment that the start script sets. */
const settings = Object.fromEntries(words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('=', 2)))
const startArguments = [...options, join(ROOT, words.at(-1)!)]
const OVERRIDES = 'rate-limits.json'
/** Longer than a graceful shutdown takes. */
const MAX_STOP_MS = 15_000

const { environment, rateLimits } = readArgument<PosternArgument>()
const folder = await temporaryFolder()
if (rateLimits) await writeFile(join(folder.path, OVERRIDES), JSON.stringify(rateLimits))

const startedMs = performance.now()
const postern = spawn(process.execPath, startArguments, {
  cwd: folder.path,
  // As in production, events are not checked.
  env: {
    ...cleanEnvironment(),
    ...settings,
    POSTERN_EVENT_WARNINGS: 'off',
    ...environment,
    POSTERN_RATE_LIMITS: rateLimits ? OVERRIDES : 'off',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const exited = once(postern, 'exit')

function waitUntilReady(child: ChildProcess): Promise<{ base_url: string; ads_base_url: string }> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout! }).on('line', (line) => {
      const entry = JSON.parse(line)
      if (entry.msg !== 'ready') return
      lines.close()
      child.stdout!.resume()
      resolve(entry)
    })
    child.once('exit', (code) => reject(new Error(`Postern exited with ${code} before it was ready`)))
  })
}

async function close() {
  postern.kill('SIGTERM')
  const forceKill = setTimeout(() => postern.kill('SIGKILL'), MAX_STOP_MS)
  await exited
  clearTimeout(forceKill)
  await folder[Symbol.asyncDispose]()
}

const readiness = waitUntilReady(postern).then(({ base_url: baseUrl, ads_base_url: adsBaseUrl }) => {
  return { baseUrl, adsBaseUrl, readyMs: performance.now() - startedMs }
})
readiness.catch(() => {})

serve<unknown, PosternInfo>(async () => ({ pid: postern.pid!, ...(await readiness) }), close)
