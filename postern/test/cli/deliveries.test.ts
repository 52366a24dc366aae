import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { endCommands, runCommand } from './command.ts'

after(endCommands)

const delivery = (id: string) => ({
  event_uuid: id,
  event_type: 'dm.received',
  webhook_id: '7',
  url: 'https://bot.example.com/',
  accepted_at: '2026-11-24T10:00:00.000Z',
  state: 'given_up',
  next_try_at: null,
  attempts: [],
})

/** Pages of a rare state: a server that looked at many events and found few, or none, says where it stopped. */
const PAGES: Record<string, { data: ReturnType<typeof delivery>[]; next?: string }> = {
  '': { data: [delivery('9')], next: '8' },
  8: { data: [], next: '5' },
  5: { data: [delivery('4'), delivery('3')], next: '2' },
  2: { data: [delivery('1')] },
}

/** A server with these pages; tells after which each call asked. */
async function startPages() {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://localhost')
    const before = searchParams.get('before') ?? ''
    asked.push(`${before} ${searchParams.get('state')}`)
    const { data, next } = PAGES[before]!
    const meta = { result_count: data.length, ...(next !== undefined && { next_before: next }) }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data, meta }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

const list = async (url: string, limit: string) => {
  const words = ['deliveries', '--state', 'given_up', '--max-results', limit, '--json']
  const { code, stdout, stderr } = await runCommand(words, { url, environment: { POSTERN_OPERATOR_URL: url } })
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout)
}

test('deliveries are read on over pages that are short or empty, until there are enough or no more', async () => {
  await using pages = await startPages()
  const some = await list(pages.url, '2')
  assert.deepEqual(
    some.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid),
    ['9', '4', '3'],
  )
  assert.deepEqual(some.meta, { result_count: 3, next_before: '2' })
  assert.deepEqual(pages.asked, [' given_up', '8 given_up', '5 given_up'])
  const all = await list(pages.url, '10')
  assert.deepEqual(all.meta, { result_count: 4 })
})
