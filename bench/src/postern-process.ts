import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { SeedDocument } from '../../server/src/endpoints/operator/seed/seed-document.ts'
import { freePort } from '../../server/test/stage/free-port.ts'
import type { Database } from './databases.ts'
import { CONSUMER_KEY, CONSUMER_SECRET, eventFor, seedOf, type Webhooks } from './fixtures.ts'
import { residentMb } from './process-status.ts'
import { cleanEnvironment, readArgument, serve, startWorker, temporaryFolder } from './worker.ts'

const EVENTS_PER_REQUEST = 500

/** The secret of databases that a benchmark opens. */
export const BENCH_SECRET = 'encryption-secret-of-the-benchmarks-0123'

export const OPERATOR_TOKEN = 'operator-token-of-the-benchmarks-0123'

const ROOT = resolve(import.meta.dirname, '../..')
const OVERRIDES = 'rate-limits.json'
/** Longer than a graceful shutdown takes. */
const MAX_STOP_MS = 15_000

export interface ProgramArgument {
  /** What follows `node`; undefined: the command of `npm start`. */
  words?: string[]
  /** Where it runs; undefined: a fresh folder. */
  folder?: string
  environment: Record<string, string | undefined>
  /** Rate-limit overrides of Postern. */
  rateLimits?: Record<string, number>
}

export interface ProgramInfo {
  pid: number
  baseUrl: string
  adsBaseUrl: string
  /** From the spawn to the log line `ready`. */
  readyMs: number
  /** Resident memory by then. */
  readyMb: number
}

export interface Program extends ProgramInfo, AsyncDisposable {}

/** Starts a program that logs `ready` as Postern does. */
export async function startProgram(argument: ProgramArgument): Promise<Program> {
  const worker = await startWorker<object, ProgramInfo>('postern-process.ts', argument)
  return { ...(await worker.call({})), [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose]() }
}

/** Postern in its own process. */
export interface PosternProcess extends Program {
  /** Where the operator API is. */
  operatorUrl: string
  databasePid: number | undefined
  /** Loads a seed. */
  load(seed: SeedDocument): Promise<void>
  /** Loads webhooks, each subscribed to the events of one user. */
  seed(webhooks: Webhooks): Promise<void>
  /** Publishes events, round robin for so many webhooks. */
  publish(events: number, webhooks: number): Promise<void>
  /** A bearer token of the app that owns the webhooks. */
  bearerToken(): Promise<string>
}

export interface PosternOptions {
  /** Undefined: a new SQLite file in its fresh folder, with secrets generated there. */
  database?: Database
  /** Undefined: off. */
  rateLimits?: ProgramArgument['rateLimits']
  /** In the production profile, called as a proxy that ends TLS does (`forwardedFrom`). Development keeps the last calls, and more. */
  inProduction?: boolean
}

/** The origins of a Postern in production, which a proxy serves. */
export const publicOrigins = {
  general: 'https://api.bench.example',
  ads: 'https://ads-api.bench.example',
  sandbox: 'https://ads-api-sandbox.bench.example',
}

/** What a proxy that ends TLS says of a request to a public origin. */
export const forwardedFrom = (origin: string) => ({
  'x-forwarded-proto': 'https',
  'x-forwarded-host': new URL(origin).host,
  'x-forwarded-for': '203.0.113.7',
})

async function productionSettings() {
  const [general, ads, sandbox, operator] = [await freePort(), await freePort(), await freePort(), await freePort()]
  return {
    ports: { general, ads, operator },
    environment: {
      POSTERN_PROFILE: 'production',
      POSTERN_PORT: String(general),
      POSTERN_ADS_PORT: String(ads),
      POSTERN_ADS_SANDBOX_PORT: String(sandbox),
      POSTERN_OPERATOR_PORT: String(operator),
      POSTERN_BASE_URL: publicOrigins.general,
      POSTERN_ADS_BASE_URL: publicOrigins.ads,
      POSTERN_ADS_SANDBOX_BASE_URL: publicOrigins.sandbox,
      POSTERN_TRUST_PROXY: '127.0.0.0/8',
      POSTERN_DRAIN: '0s',
    },
  }
}

const loopback = (port: number) => `http://127.0.0.1:${port}`

export const freePorts = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0' }

/** The settings that open a database of a benchmark. */
export const databaseSettings = ({ url }: Database) => ({ POSTERN_DATABASE_URL: url, POSTERN_SECRET: BENCH_SECRET })

async function post(url: string, authorization: string, contentType: string, body: string, more = {}): Promise<unknown> {
  const headers = { authorization, 'content-type': contentType, ...more }
  const response = await fetch(url, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`${url} responded ${response.status}: ${await response.text()}`)
  return await response.json()
}

/** Starts Postern in a fresh folder with the default settings (log level info), except for the ports, the operator token, the rate limits (off) and `options`. */
export async function startPostern({ database, rateLimits, inProduction }: PosternOptions = {}): Promise<PosternProcess> {
  const production = inProduction ? await productionSettings() : undefined
  const started = await startProgram({
    rateLimits,
    environment: {
      ...(production?.environment ?? freePorts),
      ...(database && databaseSettings(database)),
      POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
      POSTERN_RATE_LIMITS: 'off',
      // As in production, events are not checked.
      POSTERN_EVENT_WARNINGS: 'off',
    },
  })
  const ports = production?.ports
  const program = ports ? { ...started, baseUrl: loopback(ports.general), adsBaseUrl: loopback(ports.ads) } : started
  const { baseUrl } = program
  const operatorUrl = ports ? loopback(ports.operator) : baseUrl
  const callOperator = (path: string, body: object) =>
    post(`${operatorUrl}/operator${path}`, `Bearer ${OPERATOR_TOKEN}`, 'application/json', JSON.stringify(body))
  const load = async (seed: SeedDocument) => void (await callOperator('/seed', seed))
  return {
    ...program,
    operatorUrl,
    databasePid: database?.databasePid,
    load,
    seed: (webhooks) => load(seedOf(webhooks)),
    async publish(events, webhooks) {
      for (let at = 0; at < events; at += EVENTS_PER_REQUEST) {
        const size = Math.min(EVENTS_PER_REQUEST, events - at)
        await callOperator('/events', { events: Array.from({ length: size }, (_, place) => eventFor((at + place) % webhooks)) })
      }
    },
    async bearerToken() {
      const basic = `Basic ${Buffer.from(`${CONSUMER_KEY}:${CONSUMER_SECRET}`).toString('base64')}`
      const form = 'application/x-www-form-urlencoded'
      const headers = production && forwardedFrom(publicOrigins.general)
      const token = await post(`${baseUrl}/oauth2/token`, basic, form, 'grant_type=client_credentials', headers)
      return (token as { access_token: string }).access_token
    },
  }
}

/** The command of `npm start`: what follows `node`, and the environment that it sets. */
async function startCommand(): Promise<{ words: string[]; settings: Record<string, string> }> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const parts = scripts.start.split(' ')
  const settings = Object.fromEntries(parts.filter((part) => /^[A-Z_]+=/.test(part)).map((part) => part.split('=', 2)))
  const words = parts.slice(parts.indexOf('node') + 1)
  return { words: words.map((word) => (word.endsWith('.js') ? join(ROOT, word) : word)), settings }
}

function waitUntilReady(child: ChildProcess): Promise<{ base_url: string; ads_base_url: string }> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout! }).on('line', (line) => {
      const entry = JSON.parse(line)
      if (entry.msg !== 'ready') return
      lines.close()
      child.stdout!.resume()
      resolve(entry)
    })
    child.once('exit', (code) => reject(new Error(`The program exited with ${code} before it was ready`)))
  })
}

/** Runs one program, which stops with this process. */
async function serveProgram({ words, folder, environment, rateLimits }: ProgramArgument) {
  const fresh = await temporaryFolder()
  if (rateLimits) await writeFile(join(fresh.path, OVERRIDES), JSON.stringify(rateLimits))
  const command = words ? { words, settings: {} } : await startCommand()
  const startedMs = performance.now()
  const program = spawn(process.execPath, command.words, {
    cwd: folder ?? fresh.path,
    env: { ...cleanEnvironment(), ...command.settings, ...environment, ...(rateLimits && { POSTERN_RATE_LIMITS: OVERRIDES }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(program, 'exit')
  const readiness = waitUntilReady(program).then(async ({ base_url: baseUrl, ads_base_url: adsBaseUrl }): Promise<ProgramInfo> => {
    const readyMs = performance.now() - startedMs
    return { pid: program.pid!, baseUrl, adsBaseUrl, readyMs, readyMb: await residentMb(program.pid!) }
  })
  readiness.catch(() => {})
  serve(
    () => readiness,
    async () => {
      program.kill('SIGTERM')
      const forceKill = setTimeout(() => program.kill('SIGKILL'), MAX_STOP_MS)
      await exited
      clearTimeout(forceKill)
      await fresh[Symbol.asyncDispose]()
    },
  )
}

if (import.meta.main) await serveProgram(readArgument())
