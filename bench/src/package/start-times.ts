import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Project } from '../../../scripts/install-from-registry.ts'

const PORTS = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0' }

/** From the spawn of a server in a folder until it prints an address. */
async function readyMs({ environment }: Project, cwd: string, words: string[]): Promise<number> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, words, { cwd, env: { ...environment, ...PORTS }, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  let elapsedMs: number | undefined
  for await (const text of child.stdout.setEncoding('utf8')) {
    if (!/http:\/\/(127\.0\.0\.1|localhost):\d/.test(text)) continue
    elapsedMs = performance.now() - startedMs
    break
  }
  child.kill('SIGTERM')
  await ended
  if (elapsedMs === undefined) throw new Error(`${words.join(' ')} ended before it was ready`)
  return elapsedMs
}

/** A first start of the command in an empty folder, and a later one there. */
export async function posternStarts(project: Project): Promise<{ first: number; later: number }> {
  const folder = await mkdtemp(join(project.folder, 'start-'))
  const words = [join(project.folder, 'node_modules/postern/postern/src/cli/main.js')]
  const start = () => readyMs(project, folder, words)
  return { first: await start(), later: await start() }
}

/** The first of fourteen ports in a row, below those that systems give to clients. */
const randomPort = () => 20_000 + Math.floor(Math.random() * 5000)

/** A start of all services of `emulate`, which keeps nothing. */
export async function emulateStart(project: Project): Promise<number> {
  const command = join(project.folder, 'node_modules/emulate/dist/index.js')
  return readyMs(project, project.folder, [command, '--port', String(randomPort())])
}

const inProcess = (load: string, start: string, stop: string) => `
const startedMs = performance.now()
const { ${load} } = await import('${load === 'startPostern' ? 'postern' : 'emulate'}')
const times = []
for (let place = 0; place < 8; place += 1) {
  const beganMs = place === 0 ? startedMs : performance.now()
  const server = await ${start}
  times.push(performance.now() - beganMs)
  await server.${stop}()
}
console.log(JSON.stringify(times))
`

const SCRIPTS = {
  postern: inProcess('startPostern', 'startPostern()', 'stop'),
  emulate: inProcess('createEmulator', "createEmulator({ service: 'slack', port: 0 })", 'close'),
}

/** The first start in a process, with loading the package, and the median of seven later ones. */
export async function inProcessStarts(project: Project, name: keyof typeof SCRIPTS): Promise<{ first: number; later: number }> {
  const script = join(project.folder, 'in-process.js')
  await writeFile(script, SCRIPTS[name])
  const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd: project.folder, env: project.environment })
  const [first, ...later] = JSON.parse(stdout.trim().split('\n').at(-1)!) as number[]
  return { first: first!, later: later.sort((one, other) => one - other)[Math.floor(later.length / 2)]! }
}
