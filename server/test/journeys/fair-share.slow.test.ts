import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { allEndpoints } from '../../scripts/all-endpoints.ts'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import { type DearRequest, dearestRequest } from '../stage/fair-share/dearest-request.ts'
import { fillWorld, productOf, tokenOf } from '../stage/fair-share/large-world.ts'
import { authorization } from '../stage/oauth-client.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, SECRET } from '../stage/postern.ts'
import { sha, update } from '../stage/ads-audiences.ts'
import { operation } from '../stage/ads-batches.ts'

const SRC = resolve(import.meta.dirname, '../../src/main.js')
const HEART = resolve(import.meta.dirname, '../stage/fair-share/heartbeat.js')
const folder = await mkdtemp(join(tmpdir(), 'fair-'))
const path = join(folder, 'postern.db')
const big = process.env.PROBE_WORLD !== 'small'
if (big && process.env.PROBE_WORLD) { await copyFile(process.env.PROBE_WORLD, path); await copyFile(process.env.PROBE_WORLD + '.events', path + '.events') }
const size = big ? { users: 5000, posts: 50_000, records: 2000, relations: 3000 } : { users: 3, posts: 4, records: 1, relations: 1 }
const nowMs = Date.now()
const { riches, seed, userId } = await fillWorld(path, size, nowMs)
const child = spawn(process.execPath, ['--max-semi-space-size=8', '--import', HEART, SRC], {
  cwd: folder,
  env: { PATH: process.env.PATH!, POSTERN_DATABASE_URL: `sqlite:${path}`, POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0', POSTERN_OPERATOR_PORT: '0', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN, POSTERN_RATE_LIMITS: 'off', ...(process.env.PROBE_ENV ? JSON.parse(process.env.PROBE_ENV) : {}) },
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
})
child.on('exit', (code) => { if (code) console.log('server ended', code) })
const errors: string[] = []
const origins: any = await new Promise((ready) =>
  createInterface({ input: child.stdout! }).on('line', (line) => {
    if (process.env.PROBE_LOG) console.log(line.slice(0,300))
    const entry = JSON.parse(line)
    if (entry.level >= 50) errors.push(line)
    if (entry.msg === 'ready') ready(entry)
  }),
)
const heart = async (): Promise<{ cpuMs: number; wallMs: number; rss: number }> => {
  const answer = once(child, 'message')
  child.send('?')
  return (await answer)[0] as any
}
const operatorCall = async (path: string, json: unknown) => {
  const answer = await fetch(origins.operator_url + path, { method: 'POST', headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }, body: JSON.stringify(json) })
  const text = await answer.text()
  if (answer.status >= 300) throw new Error(text.slice(0, 2000))
  return text
}
process.on('exit', () => child.kill('SIGKILL'))
await operatorCall('/operator/seed', seed); console.log('seeded')
const tokenFor = async (app: typeof demoApp) => {
  const answer = await fetch(`${origins.base_url}/oauth2/token`, { method: 'POST', headers: { authorization: `Basic ${Buffer.from(`${app.consumer_key}:${app.consumer_secret}`).toString('base64')}`, 'content-type': 'application/x-www-form-urlencoded' }, body: 'grant_type=client_credentials' })
  return ((await answer.json()) as any).access_token as string
}
const bearer = await tokenFor(demoApp)
const otherBearer = await tokenFor(otherApp)

const json = (value: unknown) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })
const users = (bytes: number) => Array.from({ length: Math.floor(bytes / 90) }, (_, n) => ({ email: [sha(`u${n}`)] }))
const multipart = (fields: Record<string, string>, bytes: number) => {
  const text = Object.entries(fields).map(([n, v]) => `--x\r\ncontent-disposition: form-data; name="${n}"\r\n\r\n${v}\r\n`).join('')
  return { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: Buffer.concat([Buffer.from(`${text}--x\r\ncontent-disposition: form-data; name="media"; filename="a"\r\n\r\n`), Buffer.alloc(bytes, 1), Buffer.from('\r\n--x--\r\n')]) }
}
const batch = (endpoint: string) => () => json(Array.from({ length: 40 }, () => operation('Create', { ...((byName.get(endpoint)!.rawBody!.example as any)[0].params), name: 'x'.repeat(255) })))
const byName = new Map((allEndpoints as unknown as Endpoint[]).map((e) => [e.name, e]))
let eventNumber = 0
const bodies: Record<string, () => Omit<DearRequest, 'path'>> = {
  uploadMedia: () => multipart({ media_category: 'tweet_image' }, 5_000_000),
  appendUpload: () => multipart({ segment_index: '1' }, 5_000_000),
  runUploadCommand: () => multipart({ command: 'APPEND', media_id: '1', segment_index: '0' }, 5_000_000),
  putProducts: () => json({ products: Array.from({ length: 25 }, (_, n) => productOf(n, 'x'.repeat(9000))) }),
  createProductSet: () => json({ name: 'x'.repeat(255), type: 'DYNAMIC', filters: Array.from({ length: 30 }, (_, n) => ({ attribute: 'title', operation_type: 'CONTAINS', value: `x${n}` })) }),
  changeAudienceUsers: () => json([update(users(4_900_000))]),
  changeDoNotReachUsers: () => json([update(users(4_900_000))]),
  batchCampaigns: batch('batchCampaigns'),
  batchLineItems: batch('batchLineItems'),
  batchTargetingCriteria: batch('batchTargetingCriteria'),
  loadSeed: () => json({ posts: Array.from({ length: 2000 }, (_, n) => ({ id: String(5_000_000 + n), author_id: userId, text: 'x'.repeat(240) })) }),
  publishEvents: () => json({ events: Array.from({ length: 1000 }, () => ({ event_type: 'dm.received', user_id: userId, event_uuid: String(++eventNumber), payload: { text: 'x'.repeat(10_000) } })) }),
}
/** Those that take the world away. */
const skipped = new Set(['reset', 'restoreSnapshot', 'moveClock', 'createFault', 'streamActivity'])

const originOf = ({ area, sandboxOnly }: Endpoint) => area === 'operator' ? origins.operator_url : area !== 'ads' ? origins.base_url : sandboxOnly ? origins.ads_sandbox_base_url : origins.ads_base_url
const SIGNED = new Set(['anyUser', 'signedUser', 'adsUser', 'accountMember'])
async function send(endpoint: Endpoint, { path, headers, body, form }: DearRequest) {
  const url = originOf(endpoint) + path
  const keys = { consumer_key: demoApp.consumer_key, consumer_secret: demoApp.consumer_secret }
  const name = endpoint.auth.name ?? ''
  const auth = SIGNED.has(name) ? authorization({ ...keys, ...tokenOf(userId, endpoint.name === 'invalidateToken' ? 'spare' : 'main'), method: endpoint.method, url, form })
    : name === 'operatorToken' ? `Bearer ${OPERATOR_TOKEN}` : name === 'signedApp' ? authorization({ ...keys, method: endpoint.method, url, form })
    : name === 'appPassword' ? `Basic ${Buffer.from(`${keys.consumer_key}:${keys.consumer_secret}`).toString('base64')}`
    : name === 'oauth2Client' ? `Basic ${Buffer.from('client:client-secret').toString('base64')}` : name === '' ? '' : `Bearer ${bearer}`
  return call(url, endpoint.method, { ...headers, ...(auth && { authorization: auth }) }, body)
}
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const call = (url: string, method: string, headers: Record<string, string>, body?: string | Buffer) =>
  new Promise<{ status: number; bytes: number; text: string }>((done, fail) => {
    const sent = request(url, { method, headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) }, agent }, (answer) => {
      let bytes = 0
      let text = ''
      answer.on('data', (piece: Buffer) => { if (bytes === 0) text = piece.subarray(0, 900).toString(); bytes += piece.length }).on('end', () => done({ status: answer.statusCode!, bytes, text })).on('error', fail)
    })
    sent.on('error', fail).end(body)
  })
const cheapUrl = `${origins.base_url}/2/users/${riches.inPath.find(([, n]) => n === 'participant_id')![2]}`
const cheap = async () => {
  const at = performance.now()
  const answer = await call(cheapUrl, 'GET', { authorization: `Bearer ${otherBearer}` })
  if (answer.status !== 200) throw new Error(`cheap ${answer.status}`)
  return performance.now() - at
}
const quantile = (times: number[], q: number) => times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))]!
for (let n = 0; n < 300; n++) await cheap()
const idle: number[] = []
for (let n = 0; n < 500; n++) idle.push(await cheap())
console.log(`idle p50 ${quantile(idle, 0.5).toFixed(2)} p99 ${quantile(idle, 0.99).toFixed(2)}`)
const only = process.env.PROBE_ONLY?.split(',')
for (const endpoint of allEndpoints as unknown as Endpoint[]) {
  if (skipped.has(endpoint.name) || (only && !only.includes(endpoint.name))) continue
  const next = () => dearestRequest(endpoint, riches, bodies)
  const first = await send(endpoint, next()).catch((e) => ({ status: -1, bytes: 0, text: String(e.cause ?? e) }))
  await heart()
  const blocks: number[] = []
  for (let n = 0; n < 3; n++) {
    await send(endpoint, next()).catch(() => {})
    blocks.push((await heart()).cpuMs)
  }
  if (process.env.PROBE_BLOCKS) { console.log(endpoint.name.padEnd(32), first.status, String(first.bytes).padStart(8), 'block', quantile(blocks, 0.5).toFixed(1).padStart(7), first.status >= 300 ? first.text.slice(100, 420).replaceAll('\n', ' ') : ''); continue }
  let isOver = false
  const times: number[] = []
  let sent = 0
  const dear = Array.from({ length: 20 }, async () => { while (!isOver) { sent++; await send(endpoint, next()).catch(() => {}) } })
  const startedAt = performance.now()
  while (times.length < 30 || (times.length < 200 && performance.now() - startedAt < 700)) { times.push(await cheap()); if (performance.now() - startedAt > 2500) break }
  isOver = true
  const took = performance.now() - startedAt
  await Promise.all(dear)
  const beat = await heart()
  console.log([endpoint.name.padEnd(32), first.status, String(first.bytes).padStart(8), 'block', quantile(blocks, 0.5).toFixed(1).padStart(7), '| 20: p50', quantile(times, 0.5).toFixed(1).padStart(7), 'p99', quantile(times, 0.99).toFixed(1).padStart(7), 'n', times.length, 'sent', sent, 'took', took.toFixed(0), 'turn', beat.cpuMs.toFixed(0), 'rss', (beat.rss / 1e6).toFixed(0), first.status >= 300 ? first.text.slice(100, 500).replaceAll('\n', ' ') : ''].join(' '))
}
console.log(errors.slice(0, 5).join('\n'))
child.kill('SIGKILL')
await rm(folder, { recursive: true, force: true })
