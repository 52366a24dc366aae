import assert from 'node:assert/strict'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import pino from 'pino'
import { createDescriptorWatch } from '../../src/api/http/descriptors.ts'
import { explainError } from '../../src/delivery/send/explain-error.ts'
import { createClock } from '../../src/lib/clock.ts'

const MANY = 300

/** A listener in a process that has so many files open that connections get high descriptors. */
async function withManyOpen(limit: number | undefined, later = limit) {
  const clock = createClock()
  const lines: { level: number; msg: string; limit: number; open: number }[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  let reads = 0
  const files = Array.from({ length: MANY }, () => openSync('/dev/null', 'r'))
  const server = createServer().on(
    'connection',
    createDescriptorWatch(logger, clock, () => [limit, limit, later][Math.min(reads++, 2)]),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const sockets: Socket[] = []
  return {
    clock,
    lines,
    async connect() {
      const accepted = once(server, 'connection')
      sockets.push(connect((server.address() as AddressInfo).port, '127.0.0.1'))
      sockets.push((await accepted)[0])
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      for (const file of files) closeSync(file)
      server.close()
      await once(server, 'close')
    },
  }
}

suite('file descriptors', () => {
  test('a connection that takes one of the last tenth is logged, once a minute', async () => {
    await using it = await withManyOpen(MANY + 20)
    await it.connect()
    await it.connect()
    assert.equal(it.lines.length, 1)
    const [{ level, msg, limit, open }] = it.lines as [(typeof it.lines)[number]]
    assert.deepEqual([level, limit, open > MANY], [40, MANY + 20, true])
    assert.match(msg, /^file descriptors run out: .*raise the limit/)
    it.clock.advance(60_000)
    await it.connect()
    assert.equal(it.lines.length, 2)
  })

  test('nothing is logged once the limit of the running process was raised', async () => {
    await using it = await withManyOpen(MANY + 20, MANY * 4)
    await it.connect()
    it.clock.advance(60_000)
    await it.connect()
    it.clock.advance(60_000)
    await it.connect()
    assert.equal(it.lines.length, 1)
  })

  test('nothing is logged while enough are left, or where the limit is unknown', async () => {
    for (const limit of [1_000_000, undefined]) {
      await using it = await withManyOpen(limit)
      await it.connect()
      assert.deepEqual(it.lines, [])
    }
  })

  test('an attempt that finds none says so', () => {
    const error = Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' })
    const { message } = explainError(error, { step: 'connecting', peer: 'callback.example (192.0.2.1:443)' })
    assert.equal(message, 'no connection to callback.example (192.0.2.1:443): this server has no file descriptor left')
  })
})
