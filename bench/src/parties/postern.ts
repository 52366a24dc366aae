// Keeps one Postern, started as `npm start` starts it, in a fresh folder: it ends with this process.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { plainEnvironment } from '../party.ts'
import type { PosternAnswer, PosternArgument } from '../postern-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { argument, serve } from './serve.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
/** Of `node <options> <file>`, what comes after `node`. */
const [, ...words] = scripts.start.split(' ')
const startArguments = [...words.slice(0, -1), join(ROOT, words.at(-1)!)]
const OVERRIDES = 'rate-limits.json'
/** Longer than a Postern takes to stop by itself. */
const MOST_STOPPING_MS = 15_000

const { environment, rateLimits } = argument<PosternArgument>()
const folder = await temporaryFolder()
if (rateLimits) await writeFile(join(folder.path, OVERRIDES), JSON.stringify(rateLimits))

const startedMs = performance.now()
const postern = spawn(process.execPath, startArguments, {
  cwd: folder.path,
  env: { ...plainEnvironment(), ...environment, POSTERN_RATE_LIMITS: rateLimits ? OVERRIDES : 'off' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = once(postern, 'exit')

function ready(child: ChildProcess): Promise<{ base_url: string; ads_base_url: string }> {
  return new Promise((found, reject) => {
    const lines = createInterface({ input: child.stdout! }).on('line', (line) => {
      const entry = JSON.parse(line)
      if (entry.msg !== 'ready') return
      lines.close()
      child.stdout!.resume()
      found(entry)
    })
    child.once('exit', (code) => reject(new Error(`Postern ended with ${code} before it was ready`)))
  })
}

async function close() {
  postern.kill('SIGTERM')
  const late = setTimeout(() => postern.kill('SIGKILL'), MOST_STOPPING_MS)
  await ended
  clearTimeout(late)
  await folder[Symbol.asyncDispose]()
}

const readiness = ready(postern).then(({ base_url: baseUrl, ads_base_url: adsBaseUrl }) => {
  return { baseUrl, adsBaseUrl, readyMs: performance.now() - startedMs }
})
readiness.catch(() => {})

serve<unknown, PosternAnswer>(async () => ({ pid: postern.pid!, ...(await readiness) }), close)
