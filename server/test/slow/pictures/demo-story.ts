import { TwitterApi } from 'twitter-api-v2'
import { type StartedPostern, startPostern } from '../../../../postern/src/index.ts'
import { DEMO_SEED, readSeed } from '../../../src/endpoints/operator/seed/read-seed.ts'
import { startCallbacks } from './demo-callbacks.ts'

/** A fixed time, so that pictures of another day have the same dates. */
const STARTS_AT = Date.parse('2026-11-23T08:02:00Z')
/** The clock is stepped by at most 366 days at once. */
const LARGEST_STEP_S = 366 * 86_400

/** The demo seed with two apps, which its users have allowed. */
async function readDemo() {
  const { document } = await readSeed(DEMO_SEED)
  const bot = { ...document.apps![0]!, name: 'Tide bot' }
  const news = { ...bot, id: '2', name: 'Saltmere News', consumer_key: 'news-consumer-key', oauth2_client_id: 'news-oauth2-client' }
  const tokens = document.tokens!.flatMap((token) => [
    token,
    { ...token, consumer_key: news.consumer_key, oauth_token: `${token.oauth_token}-of-news` },
  ])
  return { bot, news, seed: { ...document, apps: [bot, news], tokens } }
}

type App = Awaited<ReturnType<typeof readDemo>>['bot']

async function setClock({ clock }: StartedPostern) {
  let leftS = Math.round((STARTS_AT - Date.now()) / 1000)
  while (leftS !== 0) {
    const stepS = Math.sign(leftS) * Math.min(Math.abs(leftS), LARGEST_STEP_S)
    await clock.step(`${stepS}s`)
    leftS -= stepS
  }
}

/** Calls of an app with its bearer token. */
async function appClient(origin: string, { consumer_key, consumer_secret }: App) {
  const post = async (path: string, authorization: string, body: object) => {
    const isForm = body instanceof URLSearchParams
    const headers = { authorization, ...(!isForm && { 'content-type': 'application/json' }) }
    const response = await fetch(new URL(path, origin), { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) })
    if (!response.ok) throw new Error(`POST ${path} was answered with ${response.status}: ${await response.text()}`)
    return response.json()
  }
  const basic = `Basic ${Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64')}`
  const { access_token } = await post('/oauth2/token', basic, new URLSearchParams({ grant_type: 'client_credentials' }))
  const call = (path: string, body: object) => post(path, `Bearer ${access_token}`, body)
  return {
    /** Registers a callback, and subscribes it to events of ada, each with a tag. */
    async register(url: string, tags: Readonly<Record<string, string>>) {
      const { data } = await call('/2/webhooks', { url })
      for (const [event_type, tag] of Object.entries(tags))
        await call('/2/activity/subscriptions', { event_type, filter: { user_id: '101' }, webhook_id: data.id, tag })
    },
  }
}

/**
 * A development server, in memory and on free ports, with two apps and their callbacks. `tell` has happen what the pictures show: a change of
 * a profile that is delivered to one callback at once and to the other at the third attempt, a call that is refused, and a mention whose
 * delivery waits for its retry.
 */
export async function setStory() {
  await using begun = new AsyncDisposableStack()
  const { bot, news, seed } = await readDemo()
  const postern = begun.use(await startPostern({ dialect: 'x', seed, logLevel: 'silent' }))
  const callbacks = begun.use(await startCallbacks([bot.consumer_secret!]))
  begun.use(postern.takeOver())
  await setClock(postern)
  const credentials = (user: string) => postern.app.userCredentials(user)
  const ada = new TwitterApi(credentials('ada'))
  const grace = new TwitterApi(credentials('grace'))
  const mistaken = new TwitterApi({ ...credentials('grace'), accessSecret: 'a secret that was copied wrong' })
  const botClient = await appClient(postern.url, bot)
  const newsClient = await appClient(postern.url, news)
  await botClient.register(callbacks.urlOf('/bot'), { 'profile.update.bio': 'tides', 'post.mention.create': 'questions' })
  // The pictures begin with what comes now.
  await postern.requests.clear()

  /** Resolves to the id of the event whose way is shown. */
  async function tell(): Promise<string> {
    await postern.clock.advance('90s')
    await newsClient.register(callbacks.urlOf('/news'), { 'profile.update.bio': 'people' })
    await postern.clock.advance('31s')
    callbacks.fail('/bot', 2)
    await ada.v1.updateAccountProfile({ description: 'High tide at Saltmere today: 14:10, 4.2 metres.' })
    await postern.settled()
    const [delivery] = await postern.deliveries({ max_results: 1 })
    await postern.clock.advance('41s')
    await mistaken.v2.tweet('@ada Is the ferry running?').catch(() => {})
    await postern.clock.advance('26s')
    await grace.v2.search('tide')
    await postern.clock.advance('12s')
    callbacks.fail('/bot', 2)
    await grace.v2.tweet('@ada And tomorrow?')
    await postern.settled()
    await postern.clock.advance('8s')
    return delivery!.event_uuid
  }

  const owned = begun.move()
  return { url: `${postern.url}/console/`, tell, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
