import { Failure } from '../failure.ts'
import type { Json, Server } from '../server.ts'

const NOT_FOUND = 404

/** Why an event reached no callback, in lines: which subscriptions to its type there are, and why each did not match. */
export async function whyNobodyGot(server: Server, event: string): Promise<string[]> {
  try {
    const { data, meta } = await server.operator('GET', `/operator/events/${encodeURIComponent(event)}/near_misses`)
    if (data.length === 0) return ['No app has a subscription to its type.']
    return [
      ...data.map(({ subscription_id, app_id, reason }: Json) => `The subscription ${subscription_id} of app ${app_id} ${reason}.`),
      ...(meta.more > 0 ? [`There are ${meta.more} more subscriptions to its type.`] : []),
    ]
  } catch (error) {
    if (error instanceof Failure && error.answer?.status === NOT_FOUND) return [(error.answer.body as Json).detail]
    throw error
  }
}
