import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import type { Parts } from '../../src/assemble/parts.ts'
import { assemble, type Origins } from '../../src/assemble.ts'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { type Clock, createClock } from '../../src/lib/clock.ts'
import { operatorTokensOf } from '../../src/settings/operator-tokens.ts'
import { createAnswerChecks } from './answer-checks.ts'
import { type Answer, type CallOptions, call } from './call.ts'
import { consenting } from './consent.ts'
import { type Flavour, migratedDatabase } from './database.ts'
import { pause } from './pause.ts'
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

export interface StageOptions {
  flavour?: Flavour
  environment?: Record<string, string>
  seed?: SeedDocument
  /** Instead of the machine's, for a test that steps the wall clock. */
  clock?: Clock
  /** Resources and endpoints besides those of the map. */
  more?: Parts['more']
}

/** The real server, on free ports, on a database of its own, with a clock that the test moves. */
export class Stage {
  clock: Clock = createClock()
  more: Parts['more']
  /** Where the test calls. */
  origins!: Origins
  /** What clients sign for: in production the server is known by other origins than where it listens. */
  publicOrigins!: Origins
  #postern!: Awaited<ReturnType<typeof assemble>>
  readonly #environment: Record<string, string>
  readonly #seed: SeedDocument
  readonly #dispose: () => Promise<void>
  /** Every line that was logged. */
  // biome-ignore lint/suspicious/noExplicitAny: log lines have members of every kind
  readonly log: any[] = []
  readonly #checks = createAnswerChecks()

  constructor(environment: Record<string, string>, seed: SeedDocument, dispose: () => Promise<void>) {
    this.#environment = environment
    this.#seed = seed
    this.#dispose = dispose
  }

  async start() {
    const settings = await stageSettings(this.#environment)
    this.#postern = await assemble({
      settings,
      secrets: settings.secrets ?? [SECRET],
      operatorTokens: operatorTokensOf(OPERATOR_TOKEN, settings.operatorTokens),
      seed: this.#seed,
      clock: this.clock,
      more: this.more,
      logger: pino({ level: 'info', base: null }, { write: (line: string) => void this.log.push(JSON.parse(line)) }),
      inspect: this.#checks.inspect,
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

  /** Another server on the same database, with the same clock. */
  async beside(): Promise<Stage> {
    const other = new Stage(this.#environment, this.#seed, async () => {})
    other.clock = this.clock
    other.more = this.more
    return other.start()
  }

  async stop() {
    await this.#postern.stop()
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

  /** Asks until the answer is something; gives up with an error after 20 s, so that a test which fails also ends. */
  async until<T>(ask: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
    const givenUpAt = performance.now() + 20_000
    for (let answer = await ask(); performance.now() < givenUpAt; answer = await ask()) {
      if (answer !== undefined && answer !== false) return answer
      await pause()
    }
    throw new Error(`still not so after 20 s: ${ask}`)
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
    await this.stop()
    await this.#dispose()
    this.#checks.assertAllRight()
  }
}

/** Sets up the real server for one test: `await using stage = await setStage()`. */
export async function setStage({ flavour = 'sqlite', environment = {}, seed = twoApps, clock, more }: StageOptions = {}): Promise<Stage> {
  const database = await migratedDatabase(flavour)
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
