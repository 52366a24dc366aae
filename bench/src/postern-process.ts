import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { eventFor, seedOf, type Webhooks } from './delivery/stand.ts'
import { plainEnvironment } from './party.ts'

const MAIN = resolve(import.meta.dirname, '../../server/src/main.ts')
const EVENTS_A_REQUEST = 500

export const OPERATOR_TOKEN = 'operator-token-of-the-benchmarks-0123'

/** Postern as a process of its own, started as `npm start` starts it. */
export interface PosternProcess extends AsyncDisposable {
  pid: number
  baseUrl: string
  /** From the spawn to the line that says ready. */
  readyMs: number
  /** Loads webhooks, each subscribed to the events of one user. */
  seed(webhooks: Webhooks): Promise<void>
  /** Publishes events for so many webhooks in turn. */
  publish(events: number, webhooks: number): Promise<void>
}

const settings = {
  POSTERN_PORT: '0',
  POSTERN_ADS_PORT: '0',
  POSTERN_ADS_SANDBOX_PORT: '0',
  POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
  POSTERN_RATE_LIMITS: 'off',
}

function ready(child: ChildProcess): Promise<{ base_url: string }> {
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

async function post(url: string, body: object) {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}

/** Starts Postern in a folder, with the default settings (its log level is info) but for ports, rate limits (off) and the operator token. */
export async function startPostern(folder: string): Promise<PosternProcess> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, [MAIN], {
    cwd: folder,
    env: { ...plainEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { base_url: baseUrl } = await ready(child)
  const readyMs = performance.now() - startedMs
  return {
    pid: child.pid!,
    baseUrl,
    readyMs,
    seed: (webhooks) => post(`${baseUrl}/operator/seed`, seedOf(webhooks)),
    async publish(events, webhooks) {
      for (let at = 0; at < events; at += EVENTS_A_REQUEST) {
        const size = Math.min(EVENTS_A_REQUEST, events - at)
        await post(`${baseUrl}/operator/events`, {
          events: Array.from({ length: size }, (_, place) => eventFor((at + place) % webhooks)),
        })
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A folder inside another in which no Postern has run. */
export const emptyFolder = (inside: string) => mkdtemp(join(inside, 'empty-'))
