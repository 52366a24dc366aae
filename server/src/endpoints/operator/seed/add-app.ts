import { changesOf } from '../apps/app-settings.ts'
import { newApp } from '../apps/new-app.ts'
import { differences } from './differences.ts'
import type { SeedAdder } from './seed-adder.ts'
import type { SeedOf } from './seed-document.ts'

const fieldsOf = (seed: SeedOf<'apps'>) => ({
  ...changesOf(seed),
  consumerSecret: seed.consumer_secret,
  id: seed.id,
  consumerKey: seed.consumer_key,
})

export const addApp: SeedAdder<'apps'> = async (seed, services) => {
  const { apps } = services.storage
  const fields = fieldsOf(seed)
  const existing = (seed.consumer_key && (await apps.byConsumerKey(seed.consumer_key))) || (seed.id && (await apps.byId(seed.id)))
  if (existing) return { id: existing.id, differing: differences(fields, existing) }
  const app = newApp(seed, services)
  await apps.insert(app)
  return { id: app.id }
}
