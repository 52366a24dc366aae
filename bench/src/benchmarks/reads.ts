import { type Engine, engineName, engines } from '../databases.ts'
import { signInSeed, userAuthorizationOf } from '../fixtures.ts'
import { createGetLoad, createSignedLoad, IN_FLIGHT, recordResponse, startBareFastify } from '../http-load.ts'
import { interleave } from '../measure.ts'
import { startPostern } from '../postern-process.ts'
import { type Benchmark, besideBaseline, type Row, type Run } from '../report.ts'

const WEBHOOKS = 5
const BEARER_PATH = '/2/webhooks'
const SIGNED_PATH = '/2/users/me'

/** Of bare Fastify; the second without rate limits. */
const MIN_BEARER: Record<Engine, { off: number; on?: number }> = { sqlite: { off: 0.4 }, postgres: { off: 0.5, on: 0.18 } }
/** Of a read with a bearer token. */
const MIN_SIGNED: Record<Engine, number> = { sqlite: 0.38, postgres: 0.3 }
const MIN_SIGNED_OF_BARE = 0.3

/** A read with a bearer token, and the same bytes and headers from bare Fastify. */
async function bearerRow(engine: Engine, limits: 'on' | 'off', { config, databases }: Run): Promise<Row> {
  await using database = await databases.open(engine)
  const rateLimits = limits === 'on' ? { listWebhooks: Number.MAX_SAFE_INTEGER } : undefined
  await using server = await startPostern({ database, rateLimits })
  await server.seed({ count: WEBHOOKS, port: 9 })
  const headers = { authorization: `Bearer ${await server.bearerToken()}` }
  await using fastify = await startBareFastify(await recordResponse(server.baseUrl + BEARER_PATH, headers))
  await using postern = createGetLoad(server, server.baseUrl + BEARER_PATH, headers)
  await using bare = createGetLoad(fastify, fastify.url + BEARER_PATH, headers)
  const rates = await interleave({ postern, bare }, config)
  return {
    what: `\`GET ${BEARER_PATH}\`/s with a bearer token, ${IN_FLIGHT} in flight, rate limits ${limits}, ${engineName[engine]}`,
    ...besideBaseline(rates.postern, rates.bare, 'bare Fastify', MIN_BEARER[engine][limits]),
  }
}

/** A read signed for a user, one with a bearer token on the same Postern, and the bytes of the first from bare Fastify. */
async function signedRows(engine: Engine, { config, databases }: Run): Promise<Row[]> {
  await using database = await databases.open(engine)
  await using server = await startPostern({ database })
  await server.load(signInSeed)
  const url = server.baseUrl + SIGNED_PATH
  const headers = { authorization: `Bearer ${await server.bearerToken()}` }
  await using fastify = await startBareFastify(await recordResponse(url, { authorization: userAuthorizationOf(url) }))
  await using signed = createSignedLoad(server, url)
  await using bearer = createGetLoad(server, server.baseUrl + BEARER_PATH, headers)
  await using bare = createGetLoad(fastify, fastify.url + SIGNED_PATH)
  const rates = await interleave({ signed, bearer, bare }, config)
  const what = `Signed \`GET ${SIGNED_PATH}\`/s, ${IN_FLIGHT} in flight, rate limits off, ${engineName[engine]}`
  return [
    { what, ...besideBaseline(rates.signed, rates.bearer, `\`GET ${BEARER_PATH}\` with a bearer token`, MIN_SIGNED[engine]) },
    { what, ...besideBaseline(rates.signed, rates.bare, 'bare Fastify', MIN_SIGNED_OF_BARE) },
  ]
}

export const bearerReads: Benchmark = {
  name: 'reads',
  method: `An app with ${WEBHOOKS} webhooks lists them. The baseline is Fastify that sends the same bytes with the same headers. The client shares the cores with the server. CPU time is that of the server and PostgreSQL. With rate limits on, the limit is so high that no request is refused.`,
  async measure(run) {
    const rows: Row[] = []
    for (const limits of ['off', 'on'] as const) for (const engine of engines) rows.push(await bearerRow(engine, limits, run))
    return rows
  },
}

export const signedReads: Benchmark = {
  name: 'signed',
  method:
    'A request signed for a user, each with a fresh nonce and signed before the sample, against a request with a bearer token on the same Postern, and against Fastify that sends the same bytes with the same headers and checks nothing; the app has no webhooks. The clients share the cores with the server.',
  async measure(run) {
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await signedRows(engine, run)))
    return rows
  },
}
