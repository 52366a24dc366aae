import { createSecretKey, randomBytes } from 'node:crypto'
import { acknowledged } from '../../delivery/attempt.ts'
import type { SendChallenge } from '../../delivery/challenge/challenger.ts'
import { userOfMatch } from '../../delivery/envelope.ts'
import type { Outcome } from '../../delivery/send/outcome.ts'
import type { Outgoing } from '../../delivery/send/sender.ts'
import type { SignedPost } from '../../delivery/signed-request.ts'
import { signature } from '../../lib/crypto.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import type { Disorders } from './disorders.ts'
import { CHALLENGE, type Fault, GARBAGE, REPLAY_STATUS } from './fault.ts'
import type { Faults } from './faults.ts'
import type { Pauses } from './pauses.ts'

/** How long an event waits for the next of its webhook. */
const MAX_REORDER_MS = 2 * SECOND_MS

const OK = 200
const KEY_BYTES = 32
const wrongKey = () => createSecretKey(randomBytes(KEY_BYTES))

const measured = { latencyMs: 0, timing: '', peer: '', restricted: false }

/** An answer that the callback did not give. Attempts show its body. */
const answered = (status: number, body: string | Buffer): Outcome => ({
  kind: 'answered',
  status,
  headers: {},
  body: Buffer.from(body),
  truncated: false,
  ...measured,
})

const notAsked = ({ id }: Pick<Fault, 'id'>) => `fault ${id}: the callback was not asked`

const lost = (message: string): Outcome => ({ kind: 'failed', stage: 'connection_lost', message, ...measured })

const deletedMeanwhile = lost('the webhook was deleted meanwhile')

const answerLost = ({ id }: Pick<Fault, 'id'>, { latencyMs, timing, peer }: Outcome): Outcome => ({
  ...lost(`the answer of the callback was lost (fault ${id})`),
  latencyMs,
  timing,
  peer,
})

/** Those who wait for the next delivery of a webhook. */
function createReordered(pauses: Pauses) {
  const held = new Map<string, Set<() => void>>()
  return {
    async wait(webhookId: string) {
      const ofWebhook = held.get(webhookId) ?? new Set()
      held.set(webhookId, ofWebhook)
      let mine = () => {}
      const isSame = await pauses.pause(MAX_REORDER_MS, (end) => {
        mine = end
        ofWebhook.add(end)
      })
      ofWebhook.delete(mine)
      if (ofWebhook.size === 0) held.delete(webhookId)
      return isSame
    },
    release(webhookId: string) {
      for (const end of [...(held.get(webhookId) ?? [])]) end()
    },
  }
}

/** What of an event a disorder counts it by. */
const sendingOf = ({ eventType, eventUuid, match, attempts }: NonNullable<Parameters<SignedPost>[2]>) => ({
  eventType,
  eventUuid,
  attempts,
  userId: userOfMatch(match),
})

/** Lets faults hit deliveries. What a fault has held back is not sent once its webhook is deleted, or all data are replaced. */
export function disturbPost(
  post: SignedPost,
  faults: Faults,
  disorders: Disorders,
  pauses: Pauses,
  webhooks: Pick<WebhookStore, 'byId'>,
): SignedPost {
  const reordered = createReordered(pauses)

  const twice = async (send: () => Promise<Outcome>) => {
    const first = await send()
    const second = await send()
    return acknowledged(first) ? second : first
  }

  return async (destination, body, event) => {
    const { appId, webhookId } = destination
    const fault =
      faults.takeSending({ eventType: event?.eventType ?? REPLAY_STATUS, eventUuid: event?.eventUuid, appId, webhookId }) ??
      (event && disorders.takeSending({ ...sendingOf(event), appId, webhookId }))
    /** The next delivery, for those that wait for one. */
    const sendNext: SignedPost = (...sent) => post(...sent).finally(() => reordered.release(webhookId))
    const send = () => sendNext(destination, body, event)
    const answer = (status: number, text: string) => {
      reordered.release(webhookId)
      return answered(status, text)
    }
    const isStillThere = async (pause: Promise<boolean>) => (await pause) && (await webhooks.byId(webhookId)) !== undefined
    if (!fault) return send()
    const { effect, id } = fault
    switch (effect.kind) {
      case 'status':
        return answer(effect.status, notAsked(fault))
      case 'drop':
        return answer(OK, `fault ${id} dropped it: the callback was not asked`)
      case 'cut':
        return answerLost(fault, await send())
      case 'garbage':
        return sendNext(destination, GARBAGE, event)
      case 'wrong_signature':
        return sendNext({ ...destination, key: wrongKey() }, body, event)
      case 'duplicate':
        return twice(send)
      case 'delay':
        return (await isStillThere(pauses.pause(effect.delayMs))) ? send() : deletedMeanwhile
      case 'reorder':
        return (await isStillThere(reordered.wait(webhookId))) ? post(destination, body, event) : deletedMeanwhile
    }
  }
}

/** The same request with a signature that no secret makes: it is the last header. */
const wronglySigned = (out: Outgoing): Outgoing => ({ ...out, headers: [...out.headers.slice(0, -1), signature(wrongKey(), out.method)] })

/** Lets faults hit challenges. */
export function disturbChallenges(send: SendChallenge, faults: Faults, pauses: Pauses): SendChallenge {
  return async (out, about) => {
    const fault = faults.takeSending({ eventType: CHALLENGE, appId: about.appId, webhookId: about.webhookId })
    if (!fault) return send(out, about)
    const { effect } = fault
    if (effect.kind === 'status') return answered(effect.status, notAsked(fault))
    if (effect.kind === 'garbage') return answered(OK, GARBAGE)
    if (effect.kind === 'cut') return answerLost(fault, await send(out, about))
    if (effect.kind === 'delay') await pauses.pause(effect.delayMs)
    return send(effect.kind === 'wrong_signature' ? wronglySigned(out) : out, about)
  }
}
