import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { endCommands, runCommand } from './command.ts'

after(endCommands)

const delivery = (event: string, webhook: string) => ({
  event_uuid: event,
  event_type: 'dm.received',
  webhook_id: webhook,
  url: 'https://bot.example.com/',
  accepted_at: '2026-11-24T10:00:00.000Z',
  state: 'given_up',
  next_try_at: null,
  attempts: [],
})

/** The deliveries of a rare state, by the place of their event. All other places have events without any. */
const STORED: Record<number, ReturnType<typeof delivery>[]> = {
  9: [delivery('9', '7')],
  3: [delivery('3', '7')],
  2: [delivery('2', '7'), delivery('2', '8')],
  1: [delivery('1', '7')],
}
const NEWEST = 9
/** A call looks at so many events. */
const LOOKED_AT = 3

/** A page as the server makes it: newest first, short or empty if few of the events that it looked at have any, and no event is split. */
function pageOf(before: number, most: number) {
  const data: ReturnType<typeof delivery>[] = []
  let place = before - 1
  for (; place > 0 && place >= before - LOOKED_AT && data.length < most; place--) data.push(...(STORED[place] ?? []))
  return { data, meta: { result_count: data.length, ...(place > 0 && { next_before: String(place + 1) }) } }
}

/** A server that answers so. */
async function startServer(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** A server with these pages; tells before which place each call asked, and for how many. */
async function startPages() {
  const asked: string[] = []
  const server = await startServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://localhost')
    const [before, most] = [searchParams.get('before'), searchParams.get('max_results')]
    asked.push(`${before ?? ''} ${searchParams.get('state')} ${most}`)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(pageOf(Number(before ?? NEWEST + 1), Number(most))))
  })
  return { ...server, asked }
}

const list = async (url: string, limit: string) => {
  const words = ['deliveries', '--state', 'given_up', '--max-results', limit, '--json']
  const { code, stdout, stderr } = await runCommand(words, { url, environment: { POSTERN_OPERATOR_URL: url } })
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout)
}

const placesOf = ({ data }: { data: ReturnType<typeof delivery>[] }) =>
  data.map(({ event_uuid, webhook_id }) => `${event_uuid} ${webhook_id}`)

test('deliveries are read on over pages that are short or empty, until there are enough or no more', async () => {
  await using pages = await startPages()
  const some = await list(pages.url, '2')
  assert.deepEqual(placesOf(some), ['9 7', '3 7'])
  assert.deepEqual(some.meta, { result_count: 2, next_before: '3' })
  assert.deepEqual(pages.asked, [' given_up 2', '7 given_up 1', '4 given_up 1'])
  const all = await list(pages.url, '10')
  assert.deepEqual(placesOf(all), ['9 7', '3 7', '2 7', '2 8', '1 7'])
  assert.deepEqual(all.meta, { result_count: 5 })
})

test('more deliveries than --max-results are listed only where those of the last event would be split', async () => {
  await using pages = await startPages()
  const some = await list(pages.url, '3')
  assert.deepEqual(placesOf(some), ['9 7', '3 7', '2 7', '2 8'])
  assert.deepEqual(some.meta, { result_count: 4, next_before: '2' })
})

test('an event that some webhooks cannot be sent is sent again to all others, and the command says to which it is not, and why', async () => {
  const refusals: Record<string, object> = {
    7: { title: 'CrcValidationFailed', status: 400, errors: [{ message: 'the webhook 7 is invalid' }] },
    8: { title: 'Conflict', status: 409, detail: 'The app 2 of this webhook is suspended.' },
  }
  const sent: unknown[] = []
  await using server = await startServer(async (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.method === 'GET') return answer(200, { data: ['7', '8', '9'].map((webhook) => delivery('3', webhook)), meta: {} })
    const { webhook_id: webhook } = (await json(request)) as { webhook_id: string }
    const refusal = refusals[webhook]
    if (refusal) return answer(400, refusal)
    sent.push(webhook)
    answer(200, { data: { resent: 1 }, meta: {} })
  })
  const { url } = server
  const resend = (...more: string[]) => runCommand(['resend', '3', ...more], { url, environment: { POSTERN_OPERATOR_URL: url } })
  const { code, stdout } = await resend()
  assert.deepEqual(sent, ['9'])
  const refused = [
    'not sent again to https://bot.example.com/ (webhook 7): the webhook 7 is invalid',
    'not sent again to https://bot.example.com/ (webhook 8): The app 2 of this webhook is suspended.',
  ]
  assert.deepEqual([code, stdout.split('\n')], [1, ['1 delivery is sent again.', ...refused, '']])
  assert.deepEqual(JSON.parse((await resend('--json')).stdout), { data: { resent: 1, refused } })
})
