import { Agent } from 'undici'
import type { Run } from '../benchmark.ts'
import type { Engine } from '../databases.ts'
import { dispatchOnce } from '../dispatch-loop.ts'
import { roundRobin } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { percentile } from '../statistics.ts'
import { authorizationOf, PASSWORD, signInSeed, USERNAME } from './fixtures.ts'
import { BEARER_PATH } from './measure-signed.ts'

export const LOGINS_IN_FLIGHT = 4
/** More than can be verified in a sample. */
const MAX_PER_MS = 0.15

const FORM = 'application/x-www-form-urlencoded'

/** Latency of the cheap request, and the rate of concurrent logins. */
export interface Measurement {
  loginsPerSecond: number
  p99Ms: number
}

/** The last step of a login: an open approval form with its cookie. */
interface OpenForm {
  cookie: string
  body: string
}

async function textOf(response: Response, status: number): Promise<string> {
  const text = await response.text()
  if (response.status !== status) throw new Error(`${response.url} responded ${response.status}: ${text.slice(0, 200)}`)
  return text
}

async function openForm(origin: string): Promise<OpenForm> {
  const url = `${origin}/oauth/request_token`
  const authorization = authorizationOf({ method: 'POST', url, oauth: { oauth_callback: 'oob' } })
  const granted = new URLSearchParams(await textOf(await fetch(url, { method: 'POST', headers: { authorization } }), 200))
  const token = granted.get('oauth_token')!
  const page = await fetch(`${origin}/oauth/authorize?oauth_token=${token}`)
  const cookie = page.headers.get('set-cookie')!.split(';')[0]!
  const proof = /name="proof" value="([^"]*)"/.exec(await textOf(page, 200))![1]!
  const form = { oauth_token: token, proof, decision: 'allow', username: USERNAME, password: PASSWORD }
  return { cookie, body: new URLSearchParams(form).toString() }
}

async function logIn(origin: string, { cookie, body }: OpenForm) {
  const headers = { cookie, 'content-type': FORM }
  await textOf(await fetch(`${origin}/oauth/authorize`, { method: 'POST', headers, body }), 200)
}

async function measureLatencies(agent: Agent, request: Parameters<typeof dispatchOnce>[2], endsAtMs: number): Promise<number[]> {
  const latencies: number[] = []
  while (performance.now() < endsAtMs) {
    const startedMs = performance.now()
    await dispatchOnce(agent, 200, request)
    latencies.push(performance.now() - startedMs)
  }
  return latencies
}

/** One client repeats a cheap request, alone and beside concurrent logins. */
export async function measureLogins(engine: Engine, { config, databases }: Run): Promise<Record<'alone' | 'beside', Measurement[]>> {
  await using database = await databases.open(engine)
  await using server = await startPostern({ database })
  await server.load(signInSeed)
  const { baseUrl: origin } = server
  const headers = { authorization: `Bearer ${await server.bearerToken()}` }
  const agent = new Agent({ connections: 1, pipelining: 1 })

  const measureOnce = async (clients: number, ms = config.sampleMs): Promise<Measurement> => {
    const forms: OpenForm[] = []
    for (let at = 0; clients > 0 && at < ms * MAX_PER_MS; at += 1) forms.push(await openForm(origin))
    const startedMs = performance.now()
    let logins = 0
    const logInUntilTheEnd = async () => {
      for (let form = forms.pop(); form && performance.now() < startedMs + ms; form = forms.pop()) {
        await logIn(origin, form)
        logins += 1
      }
    }
    const loggingIn = Promise.all(Array.from({ length: clients }, logInUntilTheEnd)).then(() => performance.now() - startedMs)
    const request = { origin, path: BEARER_PATH, method: 'GET', headers } as const
    const [latencies, elapsedMs] = await Promise.all([measureLatencies(agent, request, startedMs + ms), loggingIn])
    if (clients > 0 && forms.length === 0) throw new Error('more logins than forms were opened for')
    return { loginsPerSecond: clients > 0 ? (logins / elapsedMs) * 1000 : 0, p99Ms: percentile(latencies, 0.99) }
  }

  try {
    await measureOnce(LOGINS_IN_FLIGHT, config.warmUpMs)
    return await roundRobin(config.samples, { alone: () => measureOnce(0), beside: () => measureOnce(LOGINS_IN_FLIGHT) })
  } finally {
    await agent.destroy()
  }
}
