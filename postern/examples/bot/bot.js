// A bot that answers whoever mentions it: a webhook of one app, and replies with twitter-api-v2. It knows nothing of Postern.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const hmac = (secret, body) => `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`

function isSigned(secret, body, signature = '') {
  const expected = Buffer.from(hmac(secret, body))
  const received = Buffer.from(signature)
  return received.length === expected.length && timingSafeEqual(received, expected)
}

/** What the bot says to somebody. */
export const answerTo = (question) => (/tide/i.test(question) ? 'High tide is at noon.' : 'I only know the tides.')

/** A server for the webhook. `client` replies, `secret` is the consumer secret of the app. */
export function createBot({ client, secret, log = console.error }) {
  const answered = new Set()

  async function onEvent({ event_uuid, event_type, payload }) {
    // An event may come more than once.
    if (event_type !== 'post.mention.create' || answered.has(event_uuid)) return
    await client.v2.reply(answerTo(payload.text), payload.id)
    answered.add(event_uuid)
  }

  return createServer(async (request, response) => {
    const challenge = new URL(request.url, 'http://localhost').searchParams.get('crc_token')
    if (request.method === 'GET' && challenge !== null)
      return response.setHeader('content-type', 'application/json').end(JSON.stringify({ response_token: hmac(secret, challenge) }))
    const body = await text(request)
    if (!isSigned(secret, body, request.headers['x-twitter-webhooks-signature'])) return response.writeHead(401).end()
    try {
      await onEvent(JSON.parse(body).data)
      response.writeHead(200).end()
    } catch (error) {
      // Whoever sends it tries again later.
      log(error.message)
      response.writeHead(503).end()
    }
  })
}
