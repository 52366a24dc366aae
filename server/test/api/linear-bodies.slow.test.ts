import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '../../src/api/read/json.ts'

const listOf = (item: string, count: number) => `[${Array(count).fill(item).join()}]`
const texts = (count: number) => JSON.stringify(Array.from({ length: count }, (_, place) => place.toString(36)))
const members = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, place) => [`m${place}`, 0])))

function cpuMs(run: () => unknown): number {
  const { user, system } = process.cpuUsage()
  run()
  const after = process.cpuUsage()
  return (after.user + after.system - user - system) / 1000
}

/** Of the time of `JSON.parse`. It is 3 to 8; where a body was searched as a whole for each of its members, it was above 200. */
const MOST = 60

test('what is no JSON is refused in linear time, however many colons follow a name', () => {
  const colons = (count: number) => Buffer.from(`["\\\\","a"${':'.repeat(count)}`)
  const refuse = (count: number) => cpuMs(() => assert.throws(() => parseJson(colons(count)), /not valid JSON/))
  refuse(1000)
  const ratio = refuse(400_000) / Math.max(1, refuse(50_000))
  assert.ok(ratio < 40, `eight times the colons took ${ratio.toFixed(1)} times as long`)
})

test('a body takes a small multiple of the time of JSON.parse, whatever bodies the optimizer has seen before', () => {
  const bodies = [listOf('[]', 200_000), listOf('{"a":0}', 100_000), texts(150_000), members(100_000)].map((text) => Buffer.from(text))
  for (let round = 0; round < 3; round += 1)
    for (const [place, body] of bodies.entries()) {
      const ratio = cpuMs(() => parseJson(body)) / cpuMs(() => JSON.parse(body.toString()))
      assert.ok(ratio < MOST, `round ${round}, body ${place}: ${ratio.toFixed(1)} times`)
    }
})
