import { Agent } from 'undici'
import type { Flavour } from '../databases.ts'
import { dispatchOne } from '../dispatch-one.ts'
import { inTurn } from '../interleave.ts'
import { percentile } from '../percentile.ts'
import { startPostern } from '../postern-process.ts'
import type { Run } from '../run.ts'
import { BEARER_PATH } from './measure-signed.ts'
import { authorizationOf, PASSWORD, signInSeed, USERNAME } from './stand.ts'

export const LOGINS_IN_FLIGHT = 4
/** More than are verified in any look. */
const MOST_PER_MS = 0.15

const FORM = 'application/x-www-form-urlencoded'

/** What a look at the cheap request found, and how many logged in beside it. */
export interface Look {
  loginsPerSecond: number
  p99Ms: number
}

/** The last step of a login: a form that was opened, with its cookie. */
interface OpenForm {
  cookie: string
  body: string
}

async function textOf(response: Response, status: number): Promise<string> {
  const text = await response.text()
  if (response.status !== status) throw new Error(`${response.url} answered ${response.status}: ${text.slice(0, 200)}`)
  return text
}

async function openForm(origin: string): Promise<OpenForm> {
  const url = `${origin}/oauth/request_token`
  const authorization = authorizationOf({ method: 'POST', url, oauth: { oauth_callback: 'oob' } })
  const asked = new URLSearchParams(await textOf(await fetch(url, { method: 'POST', headers: { authorization } }), 200))
  const token = asked.get('oauth_token')!
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

async function takeLatencies(agent: Agent, request: Parameters<typeof dispatchOne>[2], endsAtMs: number): Promise<number[]> {
  const latencies: number[] = []
  while (performance.now() < endsAtMs) {
    const startedMs = performance.now()
    await dispatchOne(agent, 200, request)
    latencies.push(performance.now() - startedMs)
  }
  return latencies
}

/** One client asks a cheap request over and over, alone and beside others who log in. */
export async function measureLogins(flavour: Flavour, { pace, databases }: Run): Promise<Record<'alone' | 'beside', Look[]>> {
  await using database = await databases.open(flavour)
  await using server = await startPostern({ database })
  await server.load(signInSeed)
  const { baseUrl: origin } = server
  const headers = { authorization: `Bearer ${await server.bearerToken()}` }
  const agent = new Agent({ connections: 1, pipelining: 1 })

  const look = async (clients: number, ms = pace.sampleMs): Promise<Look> => {
    const forms: OpenForm[] = []
    for (let at = 0; clients > 0 && at < ms * MOST_PER_MS; at += 1) forms.push(await openForm(origin))
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
    const [latencies, elapsedMs] = await Promise.all([takeLatencies(agent, request, startedMs + ms), loggingIn])
    if (clients > 0 && forms.length === 0) throw new Error('more logins than forms were opened for')
    return { loginsPerSecond: clients > 0 ? (logins / elapsedMs) * 1000 : 0, p99Ms: percentile(latencies, 0.99) }
  }

  try {
    await look(LOGINS_IN_FLIGHT, pace.warmMs)
    return await inTurn(pace.samples, { alone: () => look(0), beside: () => look(LOGINS_IN_FLIGHT) })
  } finally {
    await agent.destroy()
  }
}
