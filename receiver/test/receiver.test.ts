import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createReceiver as createFetchReceiver } from '../src/fetch.ts'
import { createReceiver } from '../src/index.ts'
import { openReceiver } from './stage/receivers.ts'
import { eventText, OTHER_SECRET, SECRET, signed } from './stage/signed.ts'

const TOKEN = '9dXb0-fYtq3yG2_kVJpQm1RzW7cLhN5s'
const QUERY = `crc_token=${TOKEN}&nonce=Xk3PvQ0aTz7LwR2m`

async function message(response: Response): Promise<string> {
  assert.equal(response.headers.get('content-type'), 'application/json')
  const { message } = (await response.json()) as { message: string }
  return message
}

for (const [kind, open] of Object.entries(openReceiver)) {
  suite(`a receiver behind ${kind}`, () => {
    test('answers a challenge with 200 and the signature of its token', async () => {
      await using receiver = await open()
      const response = await receiver.send(`/any/path?${QUERY}`)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'application/json')
      assert.deepEqual(await response.json(), { response_token: signed(TOKEN) })
      assert.deepEqual(receiver.log, [{ msg: 'challenge answered' }])
    })

    test('reads a token with plus and slash, escaped or not', async () => {
      await using receiver = await open()
      const token = 'MDAw+TcyYTg/LTQ5Zjgt/GI2OTI='
      for (const text of [token, encodeURIComponent(token)]) {
        const response = await receiver.send(`/?crc_token=${text}`)
        assert.deepEqual(await response.json(), { response_token: signed(token) })
      }
    })

    test('answers the challenge of each of several apps with its own secret, chosen by the signature header', async () => {
      await using receiver = await open({ secrets: [SECRET, OTHER_SECRET] })
      for (const name of ['x-service-webhooks-signature', 'x-twitter-webhooks-signature']) {
        const response = await receiver.send(`/webhook?${QUERY}`, { headers: { [name]: signed(QUERY, OTHER_SECRET) } })
        assert.deepEqual(await response.json(), { response_token: signed(TOKEN, OTHER_SECRET) })
      }
    })

    test('rejects a challenge whose signature matches no secret: 401', async () => {
      await using one = await open()
      await using two = await open({ secrets: [SECRET, OTHER_SECRET] })
      const headers = { 'x-service-webhooks-signature': signed(QUERY, 'a third') }
      for (const response of [
        await one.send(`/?${QUERY}`, { headers }),
        await two.send(`/?${QUERY}`, { headers }),
        await two.send(`/?${QUERY}`),
      ]) {
        assert.equal(response.status, 401)
        assert.doesNotMatch(JSON.stringify(await response.json()), /sha256/)
      }
    })

    test('signs only challenge tokens, never an event: 400', async () => {
      await using receiver = await open()
      const refused = ['', '?', '?nonce=1', '?crc_token=', '?crc_token=short', '?crc_token=%', `?${QUERY}&${QUERY}`, `?xcrc_token=${TOKEN}`]
      const events = [eventText('1'), '{"data":{}}          ', '1234567890123456'].map((text) => `?crc_token=${encodeURIComponent(text)}`)
      for (const query of [...refused, ...events]) {
        const response = await receiver.send(`/webhook${query}`)
        assert.equal(response.status, 400, query)
        assert.doesNotMatch(JSON.stringify(await response.json()), /sha256/, query)
      }
      assert.ok(receiver.log.every(({ msg }) => msg === 'rejected'))
    })

    test('passes an event with a valid signature to onEvent, and answers 200', async () => {
      await using receiver = await open()
      const text = eventText('-77', { payload: { text: 'naïve 漢字 👩‍🚀' } })
      assert.equal((await receiver.post(text)).status, 200)
      assert.deepEqual(receiver.events, [JSON.parse(text)])
    })

    test('passes the bytes of an event, in which large numbers have all their digits', async () => {
      const bodies: string[] = []
      await using receiver = await open({ onEvent: (_, body) => void bodies.push(new TextDecoder().decode(body)) })
      const text = '{"data":{"event_uuid":"5","payload":{"id":9007199254740993}}}'
      assert.equal((await receiver.post(text)).status, 200)
      assert.deepEqual(bodies, [text])
    })

    test('reads the signature header of either dialect', async () => {
      await using receiver = await open()
      const text = eventText('1')
      assert.equal((await receiver.post(text, { 'x-twitter-webhooks-signature': signed(text) })).status, 200)
      assert.equal(receiver.events.length, 1)
    })

    test('accepts events of several apps', async () => {
      await using receiver = await open({ secrets: [SECRET, OTHER_SECRET] })
      await receiver.post(eventText('1'), { 'x-service-webhooks-signature': signed(eventText('1'), SECRET) })
      await receiver.post(eventText('2'), { 'x-service-webhooks-signature': signed(eventText('2'), OTHER_SECRET) })
      assert.deepEqual(
        receiver.events.map((event) => event.data?.event_uuid),
        ['1', '2'],
      )
    })

    test('answers 401 in JSON to a missing or wrong signature, whatever the body is', async () => {
      await using receiver = await open()
      const wrong: Record<string, string>[] = [
        {},
        { 'x-service-webhooks-signature': signed('another body') },
        { 'x-service-webhooks-signature': 'sha256=' },
      ]
      for (const headers of wrong) {
        for (const body of [eventText('1'), 'not JSON', '']) {
          const response = await receiver.post(body, headers)
          assert.equal(response.status, 401)
          assert.match(await message(response), /signature/)
        }
      }
      assert.deepEqual(receiver.events, [])
      assert.ok(receiver.log.every((entry) => entry.msg === 'rejected' && entry.status === 401))
    })

    test('names the signature headers of both dialects where there is none', async () => {
      await using receiver = await open()
      const said = await message(await receiver.post(eventText('1'), {}))
      assert.equal(said, 'The signature header is missing: x-service-webhooks-signature or x-twitter-webhooks-signature.')
    })

    test('answers 400 to a signed body that is no JSON object in UTF-8', async () => {
      await using receiver = await open()
      for (const body of [
        '',
        'not JSON',
        '[]',
        '7',
        'null',
        '"text"',
        '{"data":',
        Uint8Array.from('{"a":"\xff"}', (letter) => letter.charCodeAt(0)),
      ]) {
        const response = await receiver.post(body)
        assert.equal(response.status, 400)
        assert.match(await message(response), /JSON/)
      }
      assert.deepEqual(receiver.events, [])
    })

    test('answers 405 with Allow to any other method', async () => {
      await using receiver = await open()
      for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
        const response = await receiver.send(`/webhook?${QUERY}`, { method })
        assert.equal(response.status, 405)
        assert.equal(response.headers.get('allow'), 'GET, POST')
      }
    })

    test('drops a duplicate by its id, and answers it 200', async () => {
      await using receiver = await open()
      await receiver.post(eventText('1'))
      const response = await receiver.post(eventText('1', { tag: 'the same event, of another subscription' }))
      assert.equal(response.status, 200)
      assert.equal(receiver.events.length, 1)
      assert.deepEqual(receiver.log, [{ msg: 'duplicate dropped', event_uuid: '1' }])
    })

    test('forgets the oldest id once `dedupeCacheSize` newer ones came', async () => {
      await using receiver = await open({ dedupeCacheSize: 2 })
      for (const id of ['1', '2', '3', '3', '2', '1']) await receiver.post(eventText(id))
      assert.deepEqual(
        receiver.events.map((event) => event.data?.event_uuid),
        ['1', '2', '3', '1'],
      )
    })

    test('passes every event without an id to onEvent', async () => {
      await using receiver = await open()
      const status = JSON.stringify({ replay_job_status: { webhook_id: '1', job_state: 'Complete' } })
      const others = ['{}', '{"data":{}}', '{"data":null}', '{"data":{"event_uuid":7}}', '{"data":{"event_uuid":""}}']
      for (const text of [status, ...others]) {
        for (const _ of [1, 2]) assert.equal((await receiver.post(text)).status, 200)
      }
      assert.equal(receiver.events.length, 12)
    })

    test('answers 500 when onEvent throws, logs the reason but does not send it, and processes the event when it is retried', async () => {
      const failures = [
        () => Promise.reject(new Error('disk full')),
        () => {
          throw new Error('disk full')
        },
      ]
      let handled = 0
      await using receiver = await open({ onEvent: () => failures.pop()?.() ?? void handled++ })
      for (const _ of [1, 2]) {
        const response = await receiver.post(eventText('1'))
        assert.equal(response.status, 500)
        assert.doesNotMatch(await message(response), /disk/)
      }
      assert.ok(receiver.log.every((entry) => entry.msg === 'failed' && String(entry.error) === 'Error: disk full'))
      assert.equal(receiver.log.length, 2)
      for (const _ of [1, 2]) assert.equal((await receiver.post(eventText('1'))).status, 200)
      assert.equal(handled, 1)
    })

    test('answers only once onEvent has resolved', async () => {
      const steps: string[] = []
      const started = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const onEvent = async () => {
        started.resolve()
        await gate.promise
        steps.push('handled')
      }
      await using receiver = await open({ onEvent })
      const answered = receiver.post(eventText('1')).then(() => steps.push('answered'))
      await started.promise
      gate.resolve()
      await answered
      assert.deepEqual(steps, ['handled', 'answered'])
    })

    test('accepts a body of exactly the limit and answers 413 to one byte more', async () => {
      const text = eventText('1')
      await using receiver = await open({ maxBodyBytes: Buffer.byteLength(text) })
      assert.equal((await receiver.post(`${text} `)).status, 413)
      assert.deepEqual(receiver.events, [])
      assert.equal((await receiver.post(text)).status, 200)
    })

    test('accepts an event of 256 KB and its envelope by default', async () => {
      await using receiver = await open()
      assert.equal((await receiver.post(eventText('1', { payload: { text: '漢'.repeat(300_000) } }))).status, 200)
    })
  })
}

test('createReceiver throws without valid secrets', () => {
  for (const secrets of [[], [''], 'text', undefined] as string[][]) {
    assert.throws(() => createReceiver({ secrets, onEvent() {} }), TypeError)
  }
})

test('createReceiver throws without a function onEvent, and for an option that there is not, in both entries', () => {
  for (const create of [createReceiver, createFetchReceiver] as ((options: object) => unknown)[]) {
    for (const onEvent of [undefined, null, 'log'])
      assert.throws(() => create({ secrets: [SECRET], onEvent }), {
        name: 'TypeError',
        message: 'onEvent must be a function, which is called with each new event',
      })
    for (const name of ['onevent', 'dedupeCachSize'])
      assert.throws(() => create({ secrets: [SECRET], onEvent() {}, [name]: 1 }), {
        name: 'TypeError',
        message: `createReceiver has no option ${name}. It has secrets, onEvent, dedupeCacheSize, maxBodyBytes, bodyTimeoutMs, log.`,
      })
  }
})

test('createReceiver throws for limits that would limit nothing or refuse every body', () => {
  const create = (limits: { maxBodyBytes?: number; bodyTimeoutMs?: number }) =>
    createReceiver({ secrets: [SECRET], onEvent() {}, ...limits })
  for (const maxBodyBytes of [Number.NaN, Number.POSITIVE_INFINITY, 0, -1, '1000' as unknown as number])
    assert.throws(() => create({ maxBodyBytes }), {
      name: 'TypeError',
      message: `maxBodyBytes must be a finite number of bytes above 0, and is ${maxBodyBytes}`,
    })
  for (const bodyTimeoutMs of [Number.NaN, Number.POSITIVE_INFINITY, 0, -1, 2_147_483_648])
    assert.throws(() => create({ bodyTimeoutMs }), {
      name: 'TypeError',
      message: `bodyTimeoutMs must be a number of milliseconds above 0 and at most 2147483647, and is ${bodyTimeoutMs}`,
    })
  create({ maxBodyBytes: 1, bodyTimeoutMs: 2_147_483_647 })
})
