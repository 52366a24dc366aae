import { nextChallengeAtMs } from '../../../delivery/challenge-slot.ts'
import { checkCallbackUrl } from '../../webhooks/callback-url.ts'
import { appWithKey } from './app-with-key.ts'
import { differences } from './differences.ts'
import { takenId } from './invalid-seed.ts'
import type { SeedAdder } from './seed-adder.ts'

export const addWebhook: SeedAdder<'webhooks'> = async (seed, services) => {
  const { ids, now, loopbackCallbacks } = services
  const { webhooks } = services.storage
  const { url, valid = true } = seed
  const app = await appWithKey(services, 'webhooks', seed.consumer_key)
  const createdAtMs = seed.created_at === undefined ? now() : Date.parse(seed.created_at)
  const normalUrl = checkCallbackUrl(url, loopbackCallbacks)
  const named = seed.id === undefined ? undefined : await webhooks.byId(seed.id)
  const existing = named?.appId === app.id ? named : await webhooks.byUrl(app.id, normalUrl)
  if (existing && seed.id !== undefined) services.standIns.set(seed.id, existing.id)
  if (existing) return { id: existing.id, differing: differences({ id: seed.id, normalUrl, valid }, existing) }
  if (named) throw takenId('webhooks', 'id', named.id)
  const id = seed.id ?? ids.next()
  const webhook = {
    id,
    appId: app.id,
    url,
    normalUrl,
    valid,
    createdAtMs,
    nextChallengeAtMs: valid ? nextChallengeAtMs(id, now()) : null,
    provenSecretVersion: app.secretVersion,
    lastChallenge: null,
  }
  await webhooks.register(webhook, Number.POSITIVE_INFINITY)
  return { id }
}
