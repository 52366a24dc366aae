// Requests that are wrong, or strange, and as large as they may be: none keeps the process from others.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adsEndpoints, generalEndpoints, operatorEndpoints } from '../../scripts/all-endpoints.ts'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import { USUAL_VALUES } from '../../src/api/declare/host-limits.ts'
import { dearServer } from '../stage/fair-share/dear-server.ts'
import { nearlyEmpty } from '../stage/fair-share/large-world.ts'
import { type Asked, strangeRequests } from '../stage/fair-share/strange-requests.ts'

const MOST_MS = 20
/** Of the two that the operator's own services call with bodies of any shape: their many values are parsed at once. */
const MOST_MS_OF_MANY_VALUES = 100
/** A first time may have been disturbed, by the collector or by other programs. */
const TRIES = 8

/** Those that are not asked: their answers have no end, or export what the operator has. */
const LEFT = ['streamActivity', 'openFeed', 'exportAudit']

const endpoints = ([...generalEndpoints, ...adsEndpoints, ...operatorEndpoints] as unknown as readonly Endpoint[]).filter(
  ({ name }) => !LEFT.includes(name),
)

let server: Awaited<ReturnType<typeof dearServer>>
before(async () => {
  server = await dearServer(nearlyEmpty, 'production')
})
after(() => server[Symbol.asyncDispose]())

const asked: Asked = new Set()

for (const endpoint of endpoints) {
  const mostMs = endpoint.mostValues > USUAL_VALUES ? MOST_MS_OF_MANY_VALUES : MOST_MS
  test(`${endpoint.name} leaves the event loop after ${mostMs} ms, whatever it is sent, and answers no 5xx`, async (t) => {
    let [count, longest] = [0, 0]
    for (const { name, request } of strangeRequests(endpoint, server.valuesOf(endpoint), asked)) {
      count += 1
      let shortest = Number.POSITIVE_INFINITY
      for (let made = 0; made < TRIES && shortest > mostMs; made += 1) {
        await server.longestTurnMs()
        const { status, text } = await server.send(endpoint, request)
        assert.ok(status < 500, `${name}: ${status} ${text}`)
        shortest = Math.min(shortest, await server.longestTurnMs())
      }
      assert.ok(shortest <= mostMs, `${name}: ${shortest.toFixed(1)} ms`)
      longest = Math.max(longest, shortest)
    }
    t.diagnostic(`${count} requests, ${longest.toFixed(1)} ms`)
  })
}
