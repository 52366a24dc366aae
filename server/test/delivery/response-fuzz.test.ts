import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { createConnection } from '../../src/delivery/send/connection.ts'
import { createClock } from '../../src/lib/clock.ts'
import { startSocketServer } from '../stage/callback-servers.ts'
import { cases } from '../stage/cases.ts'
import { createRandom } from '../stage/hostile/random.ts'
import { compareConnections, describeDifference } from '../stage/response-fuzz/compare.ts'
import { createFuzzCase, type FuzzCase } from '../stage/response-fuzz/fuzz-case.ts'
import { runCase } from '../stage/response-fuzz/run-case.ts'
import { get, senderTo, turn } from '../stage/sending.ts'
import { createUndiciConnection } from '../stage/undici/undici-connection.ts'

const RESPONSES = cases(3_000, 10_000)

test(`${RESPONSES} mutated responses end as with undici, but for the listed differences`, async () => {
  const { same, differences } = await compareConnections(RESPONSES, 2026)
  assert.deepEqual(differences.map(describeDifference), [])
  assert.ok(same > 0.9 * RESPONSES, `only ${same} are the same`)
})

/** Sends the pieces of a case, each in a turn of its own, and ends the connection. */
async function answer(socket: Socket, { pieces }: FuzzCase) {
  for (const piece of pieces) {
    if (socket.destroyed) return
    socket.write(piece)
    await turn()
  }
  socket.end()
}

const IMPLEMENTATIONS = { 'our connection': createConnection, "undici's connection": createUndiciConnection }

for (const [name, create] of Object.entries(IMPLEMENTATIONS))
  test(`${name} ends as in memory over real sockets, with mutated responses`, async () => {
    const random = createRandom(7)
    const clock = createClock()
    const all = Array.from({ length: 200 }, (): FuzzCase => ({ ...createFuzzCase(random), next: 'ends', reads: 'at once' }))
    await using server = await startSocketServer((socket) => {
      socket.setNoDelay(true)
      socket.once('data', (request) => void answer(socket, all[Number(/\/(\d+) /.exec(String(request))![1])]!))
    })
    await using sender = senderTo({ clock, createConnection: create })
    for (const [place, fuzzCase] of all.entries()) {
      const { first } = await runCase(create, clock, fuzzCase)
      const outcome = await sender.send(get(`http://127.0.0.1:${server.port}/${place}`))
      const what = outcome.kind === 'answered' ? [`${outcome.status}`, outcome.body.toString('latin1')] : [outcome.stage, undefined]
      assert.deepEqual(what, [first.what, first.body], JSON.stringify(fuzzCase.pieces.map(String)))
    }
  })
