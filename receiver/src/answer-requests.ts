import { answerChallenge } from './answer-challenge.ts'
import { chooseSecret } from './choose-secret.ts'
import { crcToken } from './crc-token.ts'
import type { Happening } from './happening.ts'
import type { Answer, Incoming } from './incoming.ts'
import { eventId, parseEvent, type ReceivedEvent } from './parse-event.ts'
import { Refusal } from './refusal.ts'
import { createRunOnce } from './run-once.ts'
import { signatureHeader } from './signature-header.ts'
import { verifySignature } from './verify-signature.ts'

interface Rules {
  secrets: readonly string[]
  onEvent: (event: ReceivedEvent) => void | Promise<void>
  remember: number
  log: (happening: Happening) => void
}

/** What a receiver answers to a request, whichever server it came through. Never throws, unless `log` does. */
export function answerRequests({ secrets, onEvent, remember, log }: Rules): (incoming: Incoming) => Promise<Answer> {
  const runOnce = createRunOnce(remember)

  const answerGet = ({ query, header }: Incoming): Answer => {
    const token = crcToken(query)
    if (token === undefined) throw new Refusal(400, 'A GET must be a challenge, with one crc_token. Events come as POST.')
    const secret = chooseSecret({ header: signatureHeader(header), query, secrets })
    const body = answerChallenge({ crcToken: token, secret })
    log({ msg: 'challenge answered' })
    return { status: 200, body }
  }

  const answerPost = async (incoming: Incoming): Promise<Answer> => {
    const event = await verifiedEvent(incoming, secrets)
    const id = eventId(event)
    const handle = async () => onEvent(event)
    if (id === undefined) await handle()
    else if (!(await runOnce(id, handle))) {
      log({ msg: 'duplicate dropped', event_uuid: id })
      return { status: 200, body: { message: 'Duplicate, dropped.' } }
    }
    return { status: 200, body: { message: 'Received.' } }
  }

  const answerError = (error: unknown): Answer => {
    if (!(error instanceof Refusal)) {
      log({ msg: 'failed', status: 500, reason: 'An event could not be handled, so the sender is asked to send it again.', error })
      return { status: 500, body: { message: 'The event could not be handled. Send it again.' } }
    }
    const { status, message } = error
    log({ msg: status >= 500 ? 'failed' : 'refused', status, reason: message })
    const headers: Record<string, string> = status === 405 ? { allow: 'GET, POST' } : {}
    return { status, headers, body: { message } }
  }

  return async (incoming) => {
    try {
      if (incoming.method === 'GET') return answerGet(incoming)
      if (incoming.method === 'POST') return await answerPost(incoming)
      throw new Refusal(405, 'Challenges come as GET, events as POST.')
    } catch (error) {
      return answerError(error)
    }
  }
}

/** Nothing of a body is looked at before its signature was verified, and nothing is read of one without a signature. */
async function verifiedEvent(incoming: Incoming, secrets: readonly string[]): Promise<ReceivedEvent> {
  const header = signatureHeader(incoming.header)
  if (header === undefined) throw new Refusal(401, 'There is no signature: the header x-service-webhooks-signature is missing.')
  const body = await incoming.body()
  if (verifySignature({ header, body, secrets })) return parseEvent(body)
  throw new Refusal(401, 'The signature is not that of this body with any of the consumer secrets given here.')
}
