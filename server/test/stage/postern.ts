import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import type { Parts } from '../../src/assemble/parts.ts'
import { assemble, type Origins } from '../../src/assemble.ts'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { type Clock, createClock, holdProcess } from '../../src/lib/clock.ts'
import { operatorTokensOf } from '../../src/settings/operator-tokens.ts'
import { createAnswerChecks } from './answer-checks.ts'
import { type Answer, type CallOptions, call } from './call.ts'
import { consenting } from './consent.ts'
import { type Flavour, migratedDatabase } from './database.ts'
import { atFileEnd } from './file-end.ts'
import { PATIENCE_MS, pause } from './pause.ts'
import { isProduction, stageSettings } from './stage-settings.ts'

export const OPERATOR_TOKEN = 'operator-token-of-the-tests-0123456789'
export const SECRET = 'a-sealing-secret-of-the-tests-0123456789'

export const demoApp = {
  id: '1',
  name: 'Demo',
  consumer_key: 'key-one-of-the-tests',
  consumer_secret: 'secret-one-of-the-tests',
  webhook_limit: 5,
}
export const otherApp = {
  id: '2',
  name: 'Other',
  consumer_key: 'key-two-of-the-tests',
  consumer_secret: 'secret-two-of-the-tests',
  webhook_limit: 5,
}

/** A seed of apps without users gets two who have granted them their direct messages. `publish` publishes those of the first. */
const withUsers = (seed: SeedDocument) => (!seed.apps || seed.users || seed.tokens ? seed : consenting(seed, '101', '102'))

const twoApps: SeedDocument = { apps: [demoApp, otherApp] }

/** Tells when the clock is moved: its elapsed time stays ahead, whatever is reset. */
const noticingMoves = (clock: Clock, moved: () => void): Clock => ({
  ...clock,
  advance(ms) {
    moved()
    clock.advance(ms)
  },
  runNext(untilMs) {
    moved()
    return clock.runNext(untilMs)
  },
  setOffset(offsetMs) {
    if (offsetMs !== 0) moved()
    clock.setOffset(offsetMs)
  },
})

export interface StageOptions {
  flavour?: Flavour
  environment?: Record<string, string>
  seed?: SeedDocument
  /** Instead of the machine's, for a test that steps the wall clock. */
  clock?: Clock
  /** Resources and endpoints besides those of the map. */
  more?: Parts['more']
  /** A server that no test has used before, for a test that sees what the former one left: lines of the start, counts, used nonces. */
  fresh?: boolean
  /** Its database too, and all sessions of it. */
  unused?: boolean
  /** Another server on its database will be asked for, and can serve the next test too. */
  hasNeighbour?: boolean
}

/** The real server, on free ports, on a database of its own, with a clock that the test moves. */
export class Stage {
  clock: Clock
  more: Parts['more']
  /** Where the test calls. */
  origins!: Origins
  /** What clients sign for: in production the server is known by other origins than where it listens. */
  publicOrigins!: Origins
  #postern!: Awaited<ReturnType<typeof assemble>>
  readonly #environment: Record<string, string>
  /** A reset goes back to what is in this object. */
  readonly #seed: SeedDocument
  readonly #dispose: () => Promise<void>
  /** Keeps the process alive while a test uses the server. */
  #hold: Disposable | undefined
  /** Something was done that a reset does not undo. */
  #isSpent = false
  /** The servers on the same database that run. */
  #others = 0
  /** The one of them that no test uses at the moment. */
  #neighbour: Stage | undefined
  /** Whether it keeps one. */
  keepsNeighbour = false
  #stopped: (() => void) | undefined
  /** Every line that was logged. */
  // biome-ignore lint/suspicious/noExplicitAny: log lines have members of every kind
  readonly log: any[] = []
  #checks = createAnswerChecks()
  /** Keeps the server for another test, instead of ending it. */
  keep: (() => Promise<void>) | undefined
  /** The server that this one is beside, and waits beside for another test. */
  #first: Stage | undefined

  constructor(environment: Record<string, string>, seed: SeedDocument, dispose: () => Promise<void>) {
    this.#environment = environment
    this.#seed = { ...seed }
    this.#dispose = dispose
    this.clock = noticingMoves(createClock(), () => {
      this.#isSpent = true
    })
  }

  async start() {
    const settings = await stageSettings(this.#environment)
    this.#hold ??= holdProcess()
    this.#postern = await assemble({
      settings,
      secrets: settings.secrets ?? [SECRET],
      operatorTokens: operatorTokensOf(OPERATOR_TOKEN, settings.operatorTokens),
      seed: this.#seed,
      clock: this.clock,
      more: this.more,
      logger: pino({ level: settings.logLevel, base: null }, { write: (line: string) => void this.log.push(JSON.parse(line)) }),
      inspect: (...answer) => this.#checks.inspect(...answer),
      unheld: true,
    }).catch((error) => {
      this.#release()
      throw error
    })
    this.publicOrigins = await this.#postern.start().catch(async (error) => {
      await this.stop()
      throw error
    })
    const { port, adsPort, adsSandboxPort } = settings
    const [base_url, ads_base_url, ads_sandbox_base_url] = [port, adsPort, adsSandboxPort].map((at) => `http://127.0.0.1:${at}`)
    this.origins = this.#isProduction
      ? { ...this.publicOrigins, base_url: base_url!, ads_base_url: ads_base_url!, ads_sandbox_base_url: ads_sandbox_base_url! }
      : this.publicOrigins
    return this
  }

  get #isProduction() {
    return isProduction(this.#environment)
  }

  /** Where uploaded media are. */
  get mediaFolder(): string {
    return this.#environment.POSTERN_MEDIA_STORE ?? join(dirname(this.databaseUrl.replace('sqlite:', '')), 'media')
  }

  get databaseUrl(): string {
    return this.#environment.POSTERN_DATABASE_URL!
  }

  /** Another server on the same database, with the same clock, and with settings of its own where they are given. */
  async beside(settings: Record<string, string> = {}): Promise<Stage> {
    const isAlike = Object.keys(settings).length === 0
    if (isAlike && this.#neighbour) return this.#takeNeighbour(this.#neighbour)
    const other = new Stage({ ...this.#environment, ...settings }, this.#seed, async () => {})
    other.clock = this.clock
    other.more = this.more
    await other.start()
    this.#others += 1
    other.#stopped = () => {
      this.#others -= 1
    }
    if (isAlike && this.keepsNeighbour) other.#first = this
    return other
  }

  #takeNeighbour(other: Stage): Stage {
    this.#neighbour = undefined
    this.#others += 1
    other.#forget(this.#seed)
    return other
  }

  async stop() {
    this.#isSpent = true
    await this.#postern.stop()
    this.#stopped?.()
    this.#stopped = undefined
    this.#release()
  }

  #release() {
    this.#hold?.[Symbol.dispose]()
    this.#hold = undefined
  }

  /** Files of media outlast a reset, as they would outlast a rollback. */
  async #hasStoredMedia(): Promise<boolean> {
    if (!existsSync(this.mediaFolder)) return false
    const files = await readdir(this.mediaFolder, { recursive: true, withFileTypes: true }).catch(() => [])
    return files.some((entry) => entry.isFile())
  }

  /** Whether a reset undoes all that was done. */
  async #isReusable(): Promise<boolean> {
    const hasFailed = this.log.some(({ level }) => level >= pino.levels.values.error!)
    return !(this.#isSpent || this.#others > 0 || hasFailed || (await this.#hasStoredMedia()))
  }

  async #reset(): Promise<boolean> {
    for (const name of Object.keys(this.#seed) as (keyof SeedDocument)[]) delete this.#seed[name]
    if (!(await this.#postern.reset())) return false
    this.#release()
    return true
  }

  /** Waits for another test, having forgotten what this one did; a neighbour forgets it with the server that it is beside. */
  async #waits(): Promise<boolean> {
    if (!(await this.#isReusable())) return false
    const first = this.#first
    if (first) {
      if (first.#neighbour || first.#isSpent) return false
      first.#neighbour = this
      first.#others -= 1
      return true
    }
    if (!this.keep || (this.#neighbour && !(await this.#neighbour.#reset())) || !(await this.#reset())) return false
    await this.keep()
    return true
  }

  /** Begins as if nothing had happened before. */
  #forget(seed: SeedDocument) {
    this.#hold ??= holdProcess()
    this.log.length = 0
    this.#checks = createAnswerChecks()
    Object.assign(this.#seed, seed)
  }

  /** Begins again, after a reset, with another seed. */
  async begin(seed: SeedDocument): Promise<Stage> {
    this.#forget(seed)
    await this.#postern.seed(seed)
    return this
  }

  /** Stops the server, and the one that waits beside it, and removes its database. */
  async end() {
    await this.#neighbour?.stop()
    this.#neighbour = undefined
    await this.stop()
    await this.#dispose()
  }

  /** Stops, and starts again on the same database. */
  async restart() {
    await this.stop()
    await this.start()
  }

  /** A call as a proxy passes it on; in production it ends TLS. */
  api(method: string, path: string, options: CallOptions = {}) {
    const forwarded: Record<string, string> = this.#isProduction ? { 'x-forwarded-proto': 'https' } : {}
    return call(this.origins.base_url + path, method, { ...options, headers: { ...forwarded, ...options.headers } })
  }

  operator(method: string, path: string, json?: unknown) {
    return call(this.origins.operator_url + path, method, { token: OPERATOR_TOKEN, json })
  }

  /** The bearer token of an app. */
  async token(app: { consumer_key: string; consumer_secret: string } = demoApp): Promise<string> {
    const basic = Buffer.from(`${app.consumer_key}:${app.consumer_secret}`).toString('base64')
    const answer = await this.api('POST', '/oauth2/token', {
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.access_token
  }

  /** Registers a webhook that must pass its challenge; answers its id. */
  async register(url: string, token: string): Promise<string> {
    const answer = await this.api('POST', '/2/webhooks', { token, json: { url } })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data.id
  }

  async subscribe(webhookId: string, token: string, more: Record<string, unknown> = {}): Promise<string> {
    const json = { event_type: 'dm.received', filter: { user_id: '101' }, webhook_id: webhookId, ...more }
    const answer = await this.api('POST', '/2/activity/subscriptions', { token, json })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data.subscription.subscription_id
  }

  /** A webhook of the demo app for a receiver, subscribed to the direct messages of user 101. */
  async connect({ url }: { url: string }): Promise<{ token: string; webhookId: string }> {
    const token = await this.token()
    const webhookId = await this.register(url, token)
    await this.subscribe(webhookId, token)
    return { token, webhookId }
  }

  /** Publishes `dm.received` events for user 101; answers their ids. */
  async publish(...payloads: Record<string, unknown>[]): Promise<string[]> {
    const events = payloads.map((payload) => ({ event_type: 'dm.received', user_id: '101', payload }))
    const answer = await this.operator('POST', '/operator/events', { events })
    assert.equal(answer.status, 202, answer.text)
    return answer.body.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid)
  }

  /** Asks until the answer is something; gives up with an error after a minute, so that a test which fails also ends. */
  async until<T>(ask: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
    const givenUpAt = performance.now() + PATIENCE_MS
    for (let asked = 0; performance.now() < givenUpAt; asked += 1) {
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer
      await pause(asked)
    }
    throw new Error(`still not so after ${PATIENCE_MS / 1000} s: ${ask}`)
  }

  /** Resolves once `count` lines of this message have been logged. */
  logged(message: string, count: number) {
    return this.until(() => {
      const lines = this.log.filter(({ msg }) => msg === message)
      return lines.length >= count && lines
    })
  }

  /** Resolves with the deliveries of a query once `enough` says so. */
  deliveriesWhen(query: string, enough: (deliveries: Answer['body'][]) => boolean): Promise<Answer['body'][]> {
    return this.until(async () => {
      const answer = await this.operator('GET', `/operator/deliveries?${query}`)
      assert.equal(answer.status, 200, answer.text)
      return enough(answer.body.data) && answer.body.data
    })
  }

  async [Symbol.asyncDispose]() {
    if (!(await this.#waits())) await this.end()
    this.#checks.assertAllRight()
  }
}

async function makeStage(options: StageOptions): Promise<Stage> {
  const { flavour = 'sqlite', environment = {}, seed = twoApps, clock, more, unused = false } = options
  const database = await migratedDatabase(flavour, { unused })
  // That of SQLite is beside the database, and is removed with it.
  const mediaFolder = join(tmpdir(), `postern-media-${randomBytes(6).toString('hex')}`)
  const files: Record<string, string> = flavour === 'sqlite' ? {} : { POSTERN_MEDIA_STORE: mediaFolder }
  const stage = new Stage({ POSTERN_DATABASE_URL: database.url, ...files, ...environment }, withUsers(seed), async () => {
    await database[Symbol.asyncDispose]()
    await rm(mediaFolder, { recursive: true, force: true })
  })
  if (clock) stage.clock = clock
  stage.more = more
  return stage.start().catch(async (error) => {
    await database[Symbol.asyncDispose]()
    throw error
  })
}

/** Settings that say nothing about ports, files, secrets or time: servers that differ in no other are alike after a reset. */
const REUSABLE = new Set([
  'POSTERN_CALLBACK_TIMEOUT',
  'POSTERN_DIALECT',
  'POSTERN_EVENT_WARNINGS',
  'POSTERN_LOG_LEVEL',
  'POSTERN_OPERATOR_TOKENS',
  'POSTERN_RATE_LIMITS',
  'POSTERN_RETRY_PLAN',
])

/** What is given besides the map, each with a number. */
const known: StageOptions['more'][] = []

function numberOf(more: StageOptions['more']): number {
  if (!known.includes(more)) known.push(more)
  return known.indexOf(more)
}

/** What two stages must have in common for one to be the other after a reset; undefined for a stage that is used once. */
function kindOf({ flavour = 'sqlite', environment = {}, clock, more, fresh, unused, hasNeighbour }: StageOptions): string | undefined {
  if (fresh || unused || clock || Object.keys(environment).some((name) => !REUSABLE.has(name))) return undefined
  return JSON.stringify([flavour, Object.entries(environment).sort(), numberOf(more), hasNeighbour === true])
}

/** The servers that no test uses at the moment; the first waits longest. */
const waiting: { kind: string; stage: Stage }[] = []
/** A file on both databases, with and without rate limits, alone and as a pair, needs six by turns. */
const MOST_WAITING = 6

async function keep(kind: string, stage: Stage) {
  waiting.push({ kind, stage })
  if (waiting.length > MOST_WAITING) await waiting.shift()!.stage.end()
}

/** Stops the servers that wait for another test. */
export async function closeStages(): Promise<void> {
  await Promise.all(waiting.splice(0).map(({ stage }) => stage.end()))
}

async function closePairs() {
  const pairs = waiting.filter(({ stage }) => stage.keepsNeighbour)
  for (const pair of pairs) waiting.splice(waiting.indexOf(pair), 1)
  await Promise.all(pairs.map(({ stage }) => stage.end()))
}
atFileEnd(closePairs)
// Whatever runs the tests: the servers that wait do not keep the process alive.
process.on('beforeExit', closeStages)

/** A server of this kind that waits. */
function takeWaiting(kind: string): Stage | undefined {
  const place = waiting.findLastIndex((one) => one.kind === kind)
  return place < 0 ? undefined : waiting.splice(place, 1)[0]!.stage
}

/**
 * Sets up the real server for one test: `await using stage = await setStage()`. Where it can, it is one that another test is done with, reset
 * as `POST /operator/reset` does: that takes a sixth of a start.
 */
export async function setStage(options: StageOptions = {}): Promise<Stage> {
  const kind = kindOf(options)
  if (kind === undefined) return makeStage(options)
  const stage = (await takeWaiting(kind)?.begin(withUsers(options.seed ?? twoApps))) ?? (await makeStage(options))
  stage.keep = () => keep(kind, stage)
  stage.keepsNeighbour = options.hasNeighbour ?? false
  return stage
}
