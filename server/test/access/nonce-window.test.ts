import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SignatureServices, TOLERANCE_MS, verify } from '../../src/access/oauth1/verify.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import type { NonceStore } from '../../src/storage/nonces.ts'
import { authorization } from '../stage/oauth-client.ts'
import { unlimited } from '../stage/unlimited.ts'
import { anApp, openedAlone } from '../storage/samples.ts'

const ORIGIN = 'http://127.0.0.1:3000'
const NOW_MS = 1_800_000_000_000

/** A signed request and the services that verify it at a moment. */
const requestAt = (timestampMs: number) => {
  const { consumerKey, consumerSecret } = anApp()
  const client = { consumer_key: consumerKey, consumer_secret: consumerSecret }
  const headers = { authorization: authorization({ ...client, url: `${ORIGIN}/`, nowMs: timestampMs }) }
  return { method: 'GET', target: '/', query: '', pathParams: {}, headers, body: null, remoteAddress: '127.0.0.1' }
}

test('a nonce is rejected as long as its timestamp is accepted, to the last millisecond, whenever it was first used', async () => {
  await using it = await openedAlone('sqlite')
  const { apps, nonces, rateWindows } = it.storage
  const at = (nowMs: number): SignatureServices => ({
    apps,
    nonces,
    now: () => nowMs,
    refused: () => undefined,
    originOf: () => ({ scheme: 'http', address: '127.0.0.1', origins: [ORIGIN] }),
    failedAttempts: unlimited(rateWindows),
  })
  for (const firstMs of [-TOLERANCE_MS, -1, 0, 1, TOLERANCE_MS]) {
    const request = requestAt(NOW_MS)
    assert.equal((await verify(request, at(NOW_MS + firstMs))).app.id, '1')
    for (const againMs of [firstMs, 0, TOLERANCE_MS - 1, TOLERANCE_MS, TOLERANCE_MS + 1])
      await assert.rejects(verify(request, at(NOW_MS + againMs)), Problem, `first at ${firstMs}, again at ${againMs}`)
  }
})

test('a request may be verified again, and the same one sent again is refused', async () => {
  await using it = await openedAlone('sqlite')
  const { apps, nonces, rateWindows } = it.storage
  const services: SignatureServices = {
    apps,
    nonces,
    now: () => NOW_MS,
    refused: () => undefined,
    originOf: () => ({ scheme: 'http', address: '127.0.0.1', origins: [ORIGIN] }),
    failedAttempts: unlimited(rateWindows),
  }
  const request = { ...requestAt(NOW_MS), id: 1 }
  for (let n = 0; n < 2; n += 1) assert.equal((await verify(request, services)).app.id, '1')
  await assert.rejects(verify({ ...request, id: 2 }, services), Problem)
  assert.equal((await verify(request, services)).app.id, '1')
})

test('a nonce is still known after other requests have deleted the nonces that expired after it was checked', async () => {
  await using it = await openedAlone('sqlite')
  const { apps, nonces, rateWindows } = it.storage
  const others = (nowMs: number) => Promise.all(Array.from({ length: 300 }, (_, n) => nonces.accept(`${nowMs} ${n}`, nowMs + 1, nowMs)))
  const request = requestAt(NOW_MS)
  const lastMs = NOW_MS + TOLERANCE_MS
  const slowly: NonceStore = {
    accept: (key, expiresAtMs, nowMs) => others(nowMs + 30_000).then(() => nonces.accept(key, expiresAtMs, nowMs)),
  }
  const at = (store: NonceStore): SignatureServices => ({
    apps,
    nonces: store,
    now: () => lastMs,
    refused: () => undefined,
    originOf: () => ({ scheme: 'http', address: '127.0.0.1', origins: [ORIGIN] }),
    failedAttempts: unlimited(rateWindows),
  })
  await verify(request, { ...at(nonces), now: () => NOW_MS })
  await assert.rejects(verify(request, at(slowly)), Problem)
})
