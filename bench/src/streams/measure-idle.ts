import { setTimeout } from 'node:timers/promises'
import type { SeedDocument } from '../../../server/src/endpoints/operator/seed/seed-document.ts'
import type { Databases } from '../databases.ts'
import { startPostern } from '../postern-process.ts'
import { residentMb } from '../process-status.ts'
import { startClients } from './clients.ts'
import { PATH, PER_APP } from './fixtures.ts'

const SEEDED_AT_ONCE = 250
const SECRET = 'consumer-secret-of-the-streams-0123'

const keyOf = (app: number) => `stream-${app}`

const seedOf = (apps: readonly number[]): SeedDocument => ({
  apps: apps.map((app) => ({ id: String(app), name: keyOf(app), consumer_key: keyOf(app), consumer_secret: SECRET })),
  subscriptions: apps.map((app) => ({ consumer_key: keyOf(app), event_type: 'dm.received', filter: { user_id: '101' } })),
})

async function tokenOf(baseUrl: string, app: number): Promise<string> {
  const response = await fetch(`${baseUrl}/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${keyOf(app)}:${SECRET}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  })
  return ((await response.json()) as { access_token: string }).access_token
}

/** Memory of a process before and after so many connections to streams, which have had two rounds of keep-alives. */
export async function measureIdle(databases: Databases, connections: number): Promise<{ readyMb: number; idleMb: number }> {
  await using database = await databases.open('sqlite')
  await using postern = await startPostern({ database })
  await using clients = await startClients()
  const apps = Array.from({ length: connections / PER_APP }, (_, place) => 10_000 + place)
  for (let at = 0; at < apps.length; at += SEEDED_AT_ONCE) await postern.load(seedOf(apps.slice(at, at + SEEDED_AT_ONCE)))
  const tokens: string[] = []
  for (const app of apps) {
    const token = await tokenOf(postern.baseUrl, app)
    for (let count = 0; count < PER_APP; count++) tokens.push(token)
  }
  const readyMb = await residentMb(postern.pid)
  const connecting = { url: postern.baseUrl, path: PATH, tokens }
  await clients.call(connecting)
  await setTimeout(20_000)
  const { open } = await clients.call({ ...connecting, tokens: [] })
  if (open !== connections) throw new Error(`${connections - open} of ${connections} connections have ended`)
  return { readyMb, idleMb: await residentMb(postern.pid) }
}
