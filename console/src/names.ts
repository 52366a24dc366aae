import { computed, signal } from '@preact/signals'
import { get, portal } from './api.ts'
import type { App, Server, User, Webhook } from './server-types.ts'

/** What ids are called, for lists and filters. */
export const apps = signal<readonly App[]>([])
export const webhooks = signal<readonly Webhook[]>([])
/** Those that came first: a server may have millions. */
export const users = signal<ReadonlyMap<string, User>>(new Map())
export const server = signal<Server | undefined>(undefined)

export const isDevelopment = computed(() => server.value?.profile === 'development')

/** Names are read so far; the list screens page through all of them. */
const MOST_PAGES = 10
const WEBHOOKS_A_PAGE = 100
export const MOST_WEBHOOKS = MOST_PAGES * WEBHOOKS_A_PAGE
const MOST_USERS = 1000

interface ListPage<Item> {
  data: Item[]
  meta: { next_after?: string }
}

/** All items of a list that pages with `after`, up to a number of pages. */
export async function readAll<Item>(path: string, maxResults: number): Promise<Item[]> {
  const found: Item[] = []
  let after: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const { body } = await get<ListPage<Item>>(`${path}?max_results=${maxResults}${after === undefined ? '' : `&after=${after}`}`)
    found.push(...body.data)
    after = body.meta.next_after
    if (after === undefined) break
  }
  return found
}

export async function readNames() {
  const [facts, allApps, allWebhooks, firstUsers] = await Promise.all([
    portal.value ? undefined : get<{ data: Server }>('server'),
    readAll<App>('apps', 1000),
    readAll<Webhook>('webhooks', WEBHOOKS_A_PAGE),
    portal.value ? undefined : get<{ data: User[] }>(`users?max_results=${MOST_USERS}`),
  ])
  server.value = facts?.body.data
  apps.value = allApps
  webhooks.value = allWebhooks
  users.value = new Map(firstUsers?.body.data.map((user) => [user.id, user]))
}

export const appOf = (webhookId: string | null) => webhooks.value.find(({ id }) => id === webhookId)?.app_id ?? null

export const appName = (id: string | null) => (id === null ? '' : (apps.value.find((app) => app.id === id)?.name ?? `app ${id}`))

/** The callback of a webhook, without its scheme. */
export const webhookName = (id: string) =>
  webhooks.value.find((webhook) => webhook.id === id)?.url.replace(/^https?:\/\//, '') ?? `webhook ${id}`

/** `Ada (101)`; the id alone of a user who is not known. */
export function userName(id: string) {
  const name = users.value.get(id)?.name
  return name === undefined ? `user ${id}` : `${name} (${id})`
}
