import type { App } from '../../../storage/apps.ts'
import { changesOf } from '../apps/app-settings.ts'
import { newApp } from '../apps/new-app.ts'
import { newClient } from '../apps/oauth2-client.ts'
import { differences } from './differences.ts'
import { takenId } from './invalid-seed.ts'
import type { SeedAdder, SeedServices } from './seed-adder.ts'
import type { SeedOf } from './seed-document.ts'

type Storage = Pick<SeedServices['storage'], 'apps'>

const fieldsOf = (seed: SeedOf<'apps'>) => ({
  ...changesOf(seed),
  consumerSecret: seed.consumer_secret,
  id: seed.id,
  consumerKey: seed.consumer_key,
  oauth2ClientId: seed.oauth2_client_id,
  oauth2ClientType: seed.oauth2_client_type,
  oauth2ClientSecret: seed.oauth2_client_secret,
})

/** An app from before there were OAuth 2.0 clients gets the one of its seed. */
async function withClient(seed: SeedOf<'apps'>, existing: App, { apps }: Storage): Promise<App> {
  if (existing.oauth2ClientId !== null || seed.oauth2_client_id === undefined) return existing
  return (await apps.update(existing.id, newClient(seed))) ?? existing
}

/** Throws when another app has the client id. */
async function assertClientIsFree({ oauth2_client_id }: SeedOf<'apps'>, existing: App | undefined, { apps }: Storage) {
  const owner = oauth2_client_id && (await apps.byOAuth2ClientId(oauth2_client_id))
  if (owner && owner.id !== existing?.id) throw takenId('apps', 'oauth2_client_id', oauth2_client_id)
}

export const addApp: SeedAdder<'apps'> = async (seed, services) => {
  const { apps } = services.storage
  const fields = fieldsOf(seed)
  const existing = (seed.consumer_key && (await apps.byConsumerKey(seed.consumer_key))) || (seed.id && (await apps.byId(seed.id)))
  await assertClientIsFree(seed, existing || undefined, services.storage)
  if (existing) return { id: existing.id, differing: differences(fields, await withClient(seed, existing, services.storage)) }
  const app = newApp(seed, services)
  await apps.insert(app)
  return { id: app.id }
}
