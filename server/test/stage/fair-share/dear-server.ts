import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Worker } from 'node:worker_threads'
import type { Endpoint } from '../../../src/api/declare/endpoint.ts'
import type { Origins } from '../../../src/assemble.ts'
import { freePort } from '../free-port.ts'
import { authorization } from '../oauth-client.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, SECRET } from '../postern.ts'
import { dearBodies } from './dear-bodies.ts'
import { type DearRequest, dearestRequest, dearestValues } from './dearest-request.ts'
import { fillWorld, OAUTH2_CLIENT, tokenOf, type WorldSize } from './large-world.ts'

const MAIN = resolve(import.meta.dirname, '../../../src/main.js')
const HEARTBEAT = resolve(import.meta.dirname, 'heartbeat.ts')

interface Answered {
  status: number
  bytes: number
  /** The beginning of the body. */
  text: string
}

const agent = new Agent({ keepAlive: true })

/** A call that reads its answer and keeps little of it: the caller must not be what is slow. */
const call = (url: string, method: string, headers: Record<string, string>, body?: string | Buffer) =>
  new Promise<Answered>((done, fail) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { method, agent, headers: { ...headers, ...length } }, (answer) => {
      let [bytes, text] = [0, '']
      answer.on('error', fail).on('end', () => done({ status: answer.statusCode!, bytes, text }))
      answer.on('data', (piece: Buffer) => {
        text ||= piece.toString('utf8', 0, 1000)
        bytes += piece.length
      })
    })
    sent.on('error', fail).end(body)
  })

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const SIGNED: readonly (string | null)[] = ['anyUser', 'signedUser', 'adsUser', 'accountMember']

/** How a server is set, and how it is reached. */
interface Profile {
  environment: Record<string, string>
  /** Where it listens, given the origins that it tells. */
  reach(told: Origins): Origins
  /** What a proxy says of a request to an origin. */
  headersFor(origin: string): Record<string, string>
}

const inDevelopment: Profile = {
  environment: { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0', POSTERN_OPERATOR_PORT: '0' },
  reach: (told) => told,
  headersFor: () => ({}),
}

async function inProduction(): Promise<Profile> {
  const [general, ads, sandbox, operator] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const at = (port: number) => `http://127.0.0.1:${port}`
  return {
    environment: {
      POSTERN_PROFILE: 'production',
      POSTERN_PORT: `${general}`,
      POSTERN_ADS_PORT: `${ads}`,
      POSTERN_ADS_SANDBOX_PORT: `${sandbox}`,
      POSTERN_OPERATOR_PORT: `${operator}`,
      POSTERN_BASE_URL: 'https://api.test.example',
      POSTERN_ADS_BASE_URL: 'https://ads-api.test.example',
      POSTERN_ADS_SANDBOX_BASE_URL: 'https://ads-api-sandbox.test.example',
      POSTERN_TRUST_PROXY: '127.0.0.0/8',
      POSTERN_DRAIN: '0s',
    },
    reach: () => ({ base_url: at(general), ads_base_url: at(ads), ads_sandbox_base_url: at(sandbox), operator_url: at(operator) }),
    headersFor: (origin) => ({
      'x-forwarded-proto': 'https',
      'x-forwarded-host': new URL(origin).host,
      'x-forwarded-for': '203.0.113.7',
    }),
  }
}

/** A server in a process of its own on a world, a first app and its user who ask for the dearest, and another app that reads a user. */
export async function dearServer(size: WorldSize, profileName: 'development' | 'production' = 'development') {
  const profile = profileName === 'production' ? await inProduction() : inDevelopment
  const folder = await mkdtemp(join(tmpdir(), 'postern-fair-'))
  const path = join(folder, 'postern.db')
  const { riches, seed, userId, otherId } = await fillWorld(path, size, Date.now())
  const { PATH = '' } = process.env
  const secrets = { POSTERN_SECRET: SECRET, POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const child = spawn(process.execPath, ['--max-semi-space-size=8', '--import', HEARTBEAT, MAIN], {
    cwd: folder,
    env: { PATH, ...profile.environment, ...secrets, POSTERN_DATABASE_URL: `sqlite:${path}`, POSTERN_RATE_LIMITS: 'off' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const told = await new Promise<Origins>((ready, fail) => {
    child.once('exit', (code) => fail(new Error(`the server ended with ${code}`)))
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const entry = JSON.parse(line)
      if (entry.msg === 'ready') ready(entry)
    })
  })
  const origins = profile.reach(told)
  const operatorHeaders = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
  const seeded = await call(`${origins.operator_url}/operator/seed`, 'POST', operatorHeaders, JSON.stringify(seed))
  if (seeded.status !== 200) throw new Error(seeded.text)
  const bearerOf = async ({ consumer_key, consumer_secret }: typeof demoApp) => {
    const headers = { ...profile.headersFor(told.base_url), ...FORM, authorization: basic(consumer_key, consumer_secret) }
    const { text } = await call(`${origins.base_url}/oauth2/token`, 'POST', headers, 'grant_type=client_credentials')
    return `Bearer ${JSON.parse(text).access_token}`
  }
  const [bearer, otherBearer] = [await bearerOf(demoApp), await bearerOf(otherApp)]
  const { consumer_key, consumer_secret } = demoApp
  const cheapCalls = new Worker(resolve(import.meta.dirname, 'cheap-calls.ts'), {
    workerData: {
      url: `${origins.base_url}/2/users/${otherId}`,
      headers: { ...profile.headersFor(told.base_url), authorization: otherBearer },
      pid: child.pid,
    },
  })

  const hostOf = ({ area, sandboxOnly }: Endpoint): keyof Origins =>
    area === 'operator' ? 'operator_url' : area !== 'ads' ? 'base_url' : sandboxOnly ? 'ads_sandbox_base_url' : 'ads_base_url'

  function credentialsOf({ name, auth, method }: Endpoint, url: string, form: Record<string, string> | undefined): string {
    const signed = { consumer_key, consumer_secret, method, url, form }
    // One is invalidated by its call.
    if (SIGNED.includes(auth.name)) return authorization({ ...signed, ...tokenOf(userId, name === 'invalidateToken' ? 'spare' : 'main') })
    if (auth.name === 'signedApp' || auth.name === 'signedRequestToken') return authorization(signed)
    if (auth.name === 'appPassword') return basic(consumer_key, consumer_secret)
    if (auth.name === 'oauth2Client') return basic(OAUTH2_CLIENT.id, OAUTH2_CLIENT.secret)
    if (auth.name === 'operatorToken') return `Bearer ${OPERATOR_TOKEN}`
    return auth.name === null ? '' : bearer
  }

  /** Sends a request to an endpoint, with the right credentials unless it has others. */
  function send(endpoint: Endpoint, { path: target, headers, body, form }: DearRequest): Promise<Answered> {
    const host = hostOf(endpoint)
    const all = {
      ...profile.headersFor(told[host]),
      authorization: credentialsOf(endpoint, told[host] + target, form),
      ...headers,
    }
    return call(origins[host] + target, endpoint.method, all, body)
  }

  return {
    send,
    /** The parameters of the dearest request of an endpoint. */
    valuesOf: (endpoint: Endpoint) => dearestValues(endpoint, riches),
    /** Sends the dearest request of an endpoint. */
    dearest(endpoint: Endpoint): Promise<Answered> {
      const bodies = Object.fromEntries(Object.entries(dearBodies).map(([name, bodyOf]) => [name, () => bodyOf(endpoint, userId)]))
      return send(endpoint, dearestRequest(endpoint, riches, bodies))
    },
    /** How many milliseconds the other app waits for a user. What the server and the caller wait for a processor does not count. */
    async cheapMs(): Promise<number> {
      const answered = once(cheapCalls, 'message')
      cheapCalls.postMessage('call')
      const [{ status, ms }] = await answered
      if (status !== 200) throw new Error(`another app is answered with ${status}`)
      return ms
    },
    /** The CPU time in milliseconds that one turn of the event loop took at most since it was asked for last. */
    async longestTurnMs(): Promise<number> {
      const told = once(child, 'message')
      child.send('tell')
      return (await told)[0]
    },
    async [Symbol.asyncDispose]() {
      await cheapCalls.terminate()
      child.removeAllListeners('exit').kill('SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
