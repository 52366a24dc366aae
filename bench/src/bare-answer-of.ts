import type { BareAnswer } from './bare-fastify.ts'

/** Set by the HTTP library itself. */
const OWN_HEADERS = ['connection', 'content-length', 'date', 'keep-alive']

/** What a server answers to a GET, as bytes and headers to be given out by something else. */
export async function bareAnswerOf(url: string, headers: Record<string, string>): Promise<BareAnswer> {
  const response = await fetch(url, { headers })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  const shown = [...response.headers].filter(([name]) => !OWN_HEADERS.includes(name))
  return { method: 'GET', path: new URL(url).pathname, status: 200, headers: Object.fromEntries(shown), body: await response.text() }
}
