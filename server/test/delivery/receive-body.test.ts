import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { suite, test } from 'node:test'
import type { BodyReceiver } from '../../src/delivery/send/read-answer.ts'
import { startCallback, startSocketServer } from '../stage/callback-servers.ts'
import { certificateAuthority, selfSigned } from '../stage/certificates.ts'
import { failed, get, ofEachConnection, senderTo, turn } from '../stage/sending.ts'

const MB = 1024 * 1024

/** Counts the bytes that it is given; `decide` says whether to go on. */
function counting(decide: (bytes: number) => boolean | Promise<boolean> = () => true, maxBytes = 100 * MB) {
  const seen = { bytes: 0, heads: [] as number[], atOnce: 0 }
  let pending = 0
  const receiver: BodyReceiver = {
    maxBytes,
    head: (status) => seen.heads.push(status) > 0,
    piece(piece) {
      seen.bytes += piece.length
      seen.atOnce = Math.max(seen.atOnce, ++pending)
      const decision = decide(seen.bytes)
      if (typeof decision === 'boolean') pending--
      else void decision.then(() => pending--)
      return decision
    },
  }
  return { seen, receiver }
}

ofEachConnection((senderTo) => {
  suite('a response whose body is received piece by piece', () => {
    test('may be larger than what is kept of others, and the connection is used again', async () => {
      await using server = await startCallback((_, response) => response.end(Buffer.alloc(3 * MB)))
      await using sender = senderTo()
      for (let round = 0; round < 2; round++) {
        const { seen, receiver } = counting()
        const outcome = await sender.send(get(server.origin, { receiver }))
        assert.ok(outcome.kind === 'answered' && !outcome.truncated)
        assert.deepEqual([seen.bytes, seen.heads, outcome.body.length], [3 * MB, [200], 0])
      }
      assert.equal(server.connections(), 1)
    })

    for (const scheme of ['http', 'https'])
      test(`is not read while its receiver decides, and no piece comes meanwhile, over ${scheme}`, async () => {
        const issuer = await certificateAuthority('Trusted')
        const tls = scheme === 'https' ? await selfSigned({ issuer }) : {}
        await using server = await startCallback((_, response) => response.end(Buffer.alloc(MB)), tls)
        await using sender = senderTo({ ca: issuer.cert })
        for (let round = 0; round < 2; round++) {
          const { seen, receiver } = counting(() => turn().then(() => true))
          const outcome = await sender.send(get(server.origin, { receiver }))
          assert.ok(outcome.kind === 'answered' && !outcome.truncated)
          assert.deepEqual([seen.bytes, seen.atOnce], [MB, 1])
        }
        assert.equal(server.connections(), 1)
      })

    test('is complete if the other side closes the connection while it is not read', async () => {
      const body = Buffer.alloc(60_000)
      let sent: (() => void) | undefined
      const isSent = new Promise<void>((resolve) => (sent = resolve))
      await using server = await startSocketServer((socket) => {
        socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`), body]), sent)
      })
      await using sender = senderTo()
      const wait = async () => {
        await isSent
        for (let turns = 0; turns < 20; turns++) await turn()
        return true
      }
      const { seen, receiver } = counting(wait)
      const outcome = await sender.send(get(`http://127.0.0.1:${server.port}/`, { receiver }))
      assert.equal(outcome.kind, 'answered')
      assert.equal(seen.bytes, body.length)
    })

    test('ends as truncated when the receiver wants no more, at once or later, and beyond its limit', async () => {
      await using server = await startCallback((_, response) => response.end(Buffer.alloc(5 * MB)))
      await using sender = senderTo()
      const some = [counting((bytes) => bytes < MB), counting((bytes) => turn().then(() => bytes < MB)), counting(() => true, MB)]
      for (const { seen, receiver } of some) {
        const outcome = await sender.send(get(server.origin, { receiver }))
        assert.ok(outcome.kind === 'answered' && outcome.truncated)
        assert.ok(seen.bytes < 2 * MB, `${seen.bytes}`)
      }
      const refusing: BodyReceiver = { maxBytes: MB, head: () => false, piece: () => assert.fail('a piece came') }
      const outcome = await sender.send(get(server.origin, { receiver: refusing }))
      assert.ok(outcome.kind === 'answered' && outcome.truncated)
    })

    test('fails at the deadline also while its receiver decides', async () => {
      await using server = await startCallback((_, response) => response.end(Buffer.alloc(MB)))
      await using sender = senderTo()
      const { receiver } = counting(() => new Promise(() => {}))
      failed(await sender.send(get(server.origin, { receiver, timeoutMs: 200 })), 'timeout', /./)
    })
  })
})

// undici, too, takes a broken connection for the end of such a body.
test('a body without a length is whole once the connection ends, and fails when it breaks', async () => {
  const head = 'HTTP/1.1 200 OK\r\n\r\n'
  for (const [end, isWhole] of [
    [(socket: Socket) => void socket.end(), true],
    [(socket: Socket) => void socket.resetAndDestroy(), false],
  ] as const) {
    let connection: Socket
    await using server = await startSocketServer((socket) => {
      connection = socket.on('error', () => {})
      socket.write(`${head}half of it`)
    })
    await using sender = senderTo()
    const { seen, receiver } = counting(() => {
      end(connection)
      return true
    })
    const outcome = await sender.send(get(`http://127.0.0.1:${server.port}/`, { receiver }))
    assert.equal(seen.bytes, 'half of it'.length)
    if (isWhole) assert.ok(outcome.kind === 'answered' && !outcome.truncated)
    else failed(outcome, 'connection_lost', /closed by/)
  }
})
