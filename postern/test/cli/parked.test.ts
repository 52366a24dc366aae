import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { endCommands, runCommand } from './command.ts'

after(endCommands)

const message = (id: string) => ({
  message_id: id,
  stream: 'EVENTS',
  sequence: 17,
  subject: 'events.dm',
  reason: '$.user_id: is missing.',
  bytes: 21,
  content: '{"event_type":"like"}',
  received_at: '2026-11-24T10:00:00.000Z',
  parked_at: '2026-11-24T10:00:01.000Z',
})

/** A server with these parked messages. */
async function startServer(...ids: string[]) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost')
    const id = pathname.split('/')[3]
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (id === undefined) return answer(200, { data: ids.map(message), meta: { result_count: ids.length } })
    if (!ids.includes(id)) return answer(404, { title: 'Not Found', detail: `There is no parked message ${id}.`, status: 404 })
    if (request.method === 'DELETE') ids.splice(ids.indexOf(id), 1)
    answer(200, { data: request.method === 'DELETE' ? { message_id: id } : message(id) })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ids,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

test('parked messages are listed with their reasons, and one is shown as it came', async () => {
  await using server = await startServer('9', '8')
  const listed = await runCommand(['parked', 'list'], server)
  assert.equal(
    listed.stdout,
    [
      'message  stream  sequence  bytes  received                  reason',
      '9        EVENTS  17        21     2026-11-24T10:00:00.000Z  $.user_id: is missing.',
      '8        EVENTS  17        21     2026-11-24T10:00:00.000Z  $.user_id: is missing.',
      '',
    ].join('\n'),
  )
  const shown = await runCommand(['parked', 'show', '8'], server)
  assert.equal(shown.stdout, '{"event_type":"like"}\n')
  assert.match(shown.stderr, /EVENTS 17, events\.dm: \$\.user_id: is missing\./)
})

test('parked messages are discarded by their ids, or all of them', async () => {
  await using server = await startServer('9', '8', '7')
  assert.equal((await runCommand(['parked', 'discard', '8'], server)).stdout, '1 discarded\n')
  assert.deepEqual(server.ids, ['9', '7'])
  assert.equal((await runCommand(['parked', 'discard', '8'], server)).code, 1)
  assert.equal((await runCommand(['parked', 'discard', '--all'], server)).stdout, '2 discarded\n')
  assert.deepEqual(server.ids, [])
  assert.equal((await runCommand(['parked', 'list'], server)).stdout, 'No message is parked.\n')
  for (const args of [
    ['parked', 'discard'],
    ['parked', 'discard', '--all', '9'],
  ])
    assert.match((await runCommand(args, server)).stderr, /Name the messages, or --all\./)
})
