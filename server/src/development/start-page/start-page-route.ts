import { readFile } from 'node:fs/promises'
import type { OperatorServices } from '../../access/operator.ts'
import { html } from '../../api/answer/html.ts'
import { serializePage } from '../../api/answer/page.ts'
import { areas } from '../../api/areas.ts'
import { page } from '../../api/http/pages.ts'
import type { Route } from '../../api/http/route.ts'
import { firstCommands } from '../../endpoints/description/first-commands.ts'
import { DEMO_SEED, DEMO_USER } from '../../endpoints/operator/seed/read-seed.ts'
import type { SeedDocument } from '../../endpoints/operator/seed/seed-document.ts'
import { equalInConstantTime } from '../../lib/crypto.ts'
import { lazy } from '../../lib/lazy.ts'
import type { App } from '../../storage/apps.ts'
import type { DeliveryReport } from '../../storage/event-log.ts'
import { describeOffset } from '../clock/clock-offset.ts'
import { isShownToSender } from '../explain/shown-to.ts'
import type { Given } from '../given.ts'
import { startView } from '../requests/call-view.ts'
import type { Ledger, RecordedCall } from '../requests/ledger.ts'
import { type Runs, type ShownApp, type ShownCall, type ShownDelivery, type StartFacts, startPage } from './start-page.ts'

/** Apps, users, calls and deliveries that are shown, at most. */
const SHOWN = 10

/** Tokens of an app that are shown. */
const SHOWN_TOKENS = 2

/** `.postern/operator-token` is where a development server keeps the token that it made. */
const OPERATOR_TOKEN_FILE = '.postern/operator-token'

/** A database without the password in its URL. */
function describeDatabase(url: string): string {
  if (url === 'sqlite::memory:') return 'SQLite, in memory: gone when the process ends'
  if (url.startsWith('sqlite:')) return `SQLite, in ${url.slice('sqlite:'.length)}`
  const { hostname, port, pathname } = new URL(url)
  return `PostgreSQL, ${hostname}${port && `:${port}`}${pathname}`
}

/** The demo seed as it is published: its secrets are no secrets. */
const publishedSeed = lazy(async (): Promise<SeedDocument> => JSON.parse(await readFile(DEMO_SEED, 'utf8')))

/** The values of a demo app that are published and still valid; none of another app. */
function publishedOf({ consumerKey, consumerSecret, oauth2ClientId, oauth2ClientSecret }: App, { apps, users, tokens }: SeedDocument) {
  const demo = apps?.find(({ consumer_key }) => consumer_key === consumerKey)
  if (!demo?.consumer_secret || !equalInConstantTime(demo.consumer_secret, consumerSecret)) return { tokens: [] }
  const clientSecret = demo.oauth2_client_secret ?? ''
  const keepsClient = demo.oauth2_client_id === oauth2ClientId && equalInConstantTime(clientSecret, oauth2ClientSecret ?? '')
  return {
    consumerSecret: demo.consumer_secret,
    ...(keepsClient && { oauth2ClientSecret: clientSecret }),
    tokens: (tokens ?? [])
      .filter(({ consumer_key }) => consumer_key === consumerKey)
      .slice(0, SHOWN_TOKENS)
      .map(({ user_id, oauth_token, oauth_token_secret }) => ({
        username: users?.find(({ id }) => id === user_id)?.username ?? String(user_id),
        token: oauth_token ?? '',
        secret: oauth_token_secret ?? '',
      })),
  }
}

const shownApp = (app: App, published: SeedDocument): ShownApp => ({
  id: app.id,
  name: app.name,
  consumerKey: app.consumerKey,
  oauth2ClientId: app.oauth2ClientId ?? undefined,
  ...publishedOf(app, published),
})

/** Without its query and bodies, whose values may be private. */
const shownCall = (call: RecordedCall): ShownCall => ({
  at: new Date(call.atMs).toISOString(),
  status: call.answer.status,
  ...startView(call),
})

const shownDelivery = ({ acceptedAtMs, eventType, webhookId, state, attempts }: DeliveryReport): ShownDelivery => ({
  at: new Date(acceptedAtMs).toISOString(),
  eventType,
  webhookId,
  state,
  status: attempts.at(-1)?.status ?? null,
})

function describeToken({ settings: { operatorToken, operatorTokens } }: Given) {
  if (operatorToken ?? operatorTokens)
    return html`as it was set in <code>POSTERN_OPERATOR_TOKEN</code> or <code>POSTERN_OPERATOR_TOKENS</code>.`
  return html`in the file <code>${OPERATOR_TOKEN_FILE}</code> of the folder where Postern was started, unless whoever started it gave one.`
}

/** What everybody is told: what runs where. */
function runsOf({ settings, clock, dialect, listening: { origins } }: Given): Runs {
  return {
    origins,
    database: describeDatabase(settings.databaseUrl),
    dialect: dialect.name,
    clock: describeOffset(clock.offset()) ?? `the real time, ${new Date(clock.now()).toISOString()}`,
  }
}

/** What is told beside: which keys there are, what to paste, what happened last. */
async function factsOf(given: Given, ledger: Ledger): Promise<StartFacts> {
  const { storage, eventLog, listening } = given
  const published = await publishedSeed()
  const [apps, users, deliveries] = await Promise.all([
    storage.apps.list(null, SHOWN),
    storage.users.list({ after: null, limit: SHOWN + 1 }),
    eventLog.report({ limit: SHOWN }),
  ])
  const shown = apps.map((app) => shownApp(app, published))
  const demo = shown.find(({ consumerSecret }) => consumerSecret !== undefined)
  return {
    apps: shown,
    usernames: users.slice(0, SHOWN).map(({ username }) => username),
    hasMoreUsers: users.length > SHOWN,
    login: demo && users.some(({ username }) => username === DEMO_USER.username) ? DEMO_USER : undefined,
    operatorToken: describeToken(given),
    commands: demo && firstCommands(listening.origins, demo.consumerKey, demo.consumerSecret!, `$(cat ${OPERATOR_TOKEN_FILE})`),
    calls: ledger.last(SHOWN).map(shownCall),
    deliveries: deliveries.slice(0, SHOWN).map(shownDelivery),
  }
}

/**
 * `GET /`. Whoever can reach the port reads what runs where. The rest is for whom explanations are shown to: names,
 * deliveries, and the last calls with their paths and why they were refused, which may repeat what a client sent. No secret is there but
 * those of the published demo seed, and never the operator token.
 */
export const startPageRoute = (given: Given, services: OperatorServices, ledger: Ledger): Route =>
  page(
    '/',
    async (request) => {
      const facts = (await isShownToSender(request, services)) ? await factsOf(given, ledger) : undefined
      return serializePage(startPage(runsOf(given), facts), areas.pages.headers)
    },
    areas.pages,
  )
