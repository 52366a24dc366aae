import type { Clock } from '../lib/clock.ts'
import { publicId, sequenceOf } from '../lib/ids.ts'
import type { AppStore } from '../storage/apps.ts'
import type { Webhook, WebhookStore } from '../storage/webhooks.ts'
import { MAX_RESENT, type Resender, type ResendFilter } from './resend.ts'

/** A call ends after the webhook at which this time is over. */
const LONGEST_MS = 200
const PAGE = 100

/** What of a webhook matched. `refusal` says why nothing of it is sent again. */
export interface ResentOfWebhook {
  webhook: Webhook
  count: number
  refusal: string | undefined
}

export interface ResentToAll {
  webhooks: ResentOfWebhook[]
  /** Where the next call goes on; undefined when nothing is left. */
  next: string | undefined
}

export interface ResendToAllServices {
  webhooks: WebhookStore
  apps: AppStore
  resender: Resender
  clock: Clock
}

/** Which webhook comes next: the one after `webhookId`, or the rest of it after a sequence number. */
interface Place {
  webhookId: string
  after: number | undefined
}

/** `<webhook id>`, or `<webhook id>.<event id>`. */
export const PLACE = '^[0-9]{1,19}(\\.[0-9]{1,19})?$'

function placeOf(text: string): Place {
  const [webhookId, event] = text.split('.') as [string, string?]
  return { webhookId, after: event === undefined ? undefined : sequenceOf(event) }
}

/** The webhook that a call has walked in part; undefined where the next one begins another. */
export function webhookInPart(next: string): string | undefined {
  const { webhookId, after } = placeOf(next)
  return after === undefined ? undefined : webhookId
}

const textOf = ({ webhookId, after }: Place) => (after === undefined ? webhookId : `${webhookId}.${publicId(after)}`)

export const invalidWebhook = (id: string) =>
  `the webhook ${id} is invalid and receives nothing: have its app validate it first with PUT /2/webhooks/${id}`

interface Options {
  appId: string | undefined
  filter: Omit<ResendFilter, 'webhookId' | 'after' | 'limit'>
  after: string | undefined
}

/** The webhooks from a place on, in the order of their ids, each with where it begins. */
async function* webhooksFrom({ webhooks }: ResendToAllServices, appId: string | undefined, place: Place | undefined) {
  const begun = place?.after === undefined ? undefined : await webhooks.byId(place.webhookId)
  if (begun && (appId === undefined || begun.appId === appId)) yield { webhook: begun, after: place!.after }
  let after = place?.webhookId ?? null
  for (;;) {
    const page = await webhooks.listAll({ appId, after, limit: PAGE })
    for (const webhook of page) yield { webhook, after: undefined }
    if (page.length < PAGE) return
    after = page.at(-1)!.id
  }
}

/**
 * Sends what matches again, webhook by webhook in the order of their ids, oldest first, at most `MAX_RESENT` a call. Those that may receive
 * nothing are counted alone.
 */
export async function resendToAll({ appId, filter, after }: Options, services: ResendToAllServices): Promise<ResentToAll> {
  const { apps, resender, clock } = services
  const until = clock.monotonic() + LONGEST_MS
  const found: ResentOfWebhook[] = []
  let left = MAX_RESENT

  const refusalOf = async (webhook: Webhook): Promise<string | undefined> => {
    const app = await apps.byId(webhook.appId)
    if (!app || app.suspended) return `the app ${webhook.appId} is suspended, so nothing is sent to its webhooks: resume the app first`
    return webhook.valid ? undefined : invalidWebhook(webhook.id)
  }

  for await (const { webhook, after: from } of webhooksFrom(services, appId, after === undefined ? undefined : placeOf(after))) {
    const refusal = await refusalOf(webhook)
    const isDryRun = filter.isDryRun || refusal !== undefined
    const limit = isDryRun ? Number.MAX_SAFE_INTEGER : left
    const { count, next } = await resender.matching({ ...filter, webhookId: webhook.id, after: from, isDryRun, limit })
    if (count > 0) found.push({ webhook, count, refusal })
    if (!isDryRun) left -= count
    if (next !== undefined) return { webhooks: found, next: textOf({ webhookId: webhook.id, after: next }) }
    if (left <= 0 || clock.monotonic() >= until) return { webhooks: found, next: webhook.id }
  }
  return { webhooks: found, next: undefined }
}
