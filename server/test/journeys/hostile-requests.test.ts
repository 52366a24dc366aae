import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases } from '../stage/cases.ts'
import type { Flavour } from '../stage/database.ts'
import { barrage } from '../stage/hostile/barrage.ts'
import { checkAnswer } from '../stage/hostile/check-answer.ts'
import { credentialsAt } from '../stage/hostile/credentials.ts'
import { malformedRequests } from '../stage/hostile/malformed-requests.ts'
import { watchConnections } from '../stage/hostile/watch-connections.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, setStage } from '../stage/postern.ts'

const SEED = 20_261_134
const REQUESTS = cases(500, 2500)

/** Statuses that come up only if requests get past each of the stairs. */
const everyStair = [200, 400, 401, 403, 404, 405, 413, 431]

for (const [dialect, flavour] of [
  ['spec', 'sqlite'],
  ['x', 'postgres'],
] as [string, Flavour][]) {
  test(`${REQUESTS} malformed requests (dialect ${dialect}, ${flavour}, seed ${SEED}) get well-formed errors in time, and the server goes on`, async () => {
    const environment = { POSTERN_DIALECT: dialect, POSTERN_RATE_LIMITS: 'off', POSTERN_CALLBACK_RESOLVER: '127.0.0.1:1' }
    using connections = watchConnections()
    await using stage = await setStage({ flavour, environment, seed: { apps: [demoApp, otherApp] } })
    const credentials = await credentialsAt(stage.origins.base_url, demoApp, OPERATOR_TOKEN)
    const before = connections.open.size
    const statuses = new Set<number>()
    await barrage({
      origin: stage.origins.base_url,
      requests: malformedRequests(SEED, REQUESTS, credentials),
      inFlight: 8,
      longestMs: 30_000,
      answered(answer, isHead) {
        checkAnswer(answer, isHead)
        statuses.add(answer.status)
      },
    })
    assert.deepEqual(
      everyStair.filter((status) => !statuses.has(status)),
      [],
    )
    await stage.until(() => connections.open.size <= before)
    assert.deepEqual(
      stage.log.filter(({ level }) => level >= 50),
      [],
    )
    assert.equal((await stage.api('GET', '/healthz')).status, 200)
    // Among the requests are some that change or delete the app and the users.
    assert.equal((await stage.operator('POST', '/operator/reset')).status, 200)
    await stage.publish({ text: 'after them' })
    assert.equal((await stage.api('GET', '/2/webhooks', { token: await stage.token() })).status, 200)
  })
}
