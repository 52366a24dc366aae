import { createApp } from './app.ts'
import { createPosternClock } from './clock.ts'
import { createFaults } from './faults.ts'
import { createInbox } from './inbox.ts'
import { createOperatorApi, type OperatorApi } from './operator-api.ts'
import type { Postern, Snapshot } from './postern.ts'
import { createRequests } from './requests.ts'
import type { Seed, SeedApp } from './start-options.ts'
import type { TakeOvers } from './take-over.ts'
import { createTrigger } from './trigger.ts'
import { createWorld } from './world.ts'

/** Takes snapshots of a server and goes back to them. */
const createSnapshots = (api: OperatorApi): Pick<Postern, 'snapshot' | 'restore'> => ({
  snapshot: async () => (await api.call<{ data: Snapshot }>('POST', '/operator/snapshots', {})).data,
  async restore(snapshot) {
    const id = typeof snapshot === 'string' ? snapshot : snapshot?.id
    const { data } = await api.call<{ data: Snapshot[] }>('GET', '/operator/snapshots')
    const ids = data.map((one) => one.id)
    if (!ids.includes(id))
      throw new Error(
        `there is no snapshot ${id}: ${ids.length > 0 ? `there are ${ids.join(', ')}` : '`await postern.snapshot()` takes one'}`,
      )
    await api.call('POST', `/operator/snapshots/${id}/restore`, {})
  },
})

/** What the kit must know of a server. */
export interface Server {
  url: string
  adsUrl: string
  adsSandboxUrl: string
  /** Of the operator endpoints. */
  operatorUrl: string
  operatorToken: string
  /** What it was seeded with: the first app, the users and the tokens. */
  seed: Seed
  takeOvers: TakeOvers
}

type NamedApp = Parameters<typeof createApp>[0]['app']

/** The first app of a seed; it needs its keys there, because no server tells them. */
function firstApp({ apps = [] }: Seed): NamedApp {
  const [app] = apps as readonly SeedApp[]
  if (app?.id !== undefined && app.consumer_key !== undefined && app.consumer_secret !== undefined) return app as NamedApp
  throw new Error('the first app of the seed needs an `id`, a `consumer_key` and a `consumer_secret`')
}

const idsByName = ({ users = [] }: Seed) => new Map(users.flatMap(({ username, id }) => (id === undefined ? [] : [[username, id]])))

/** The functions of the kit for a server. */
export function createPostern({ url, adsUrl, adsSandboxUrl, operatorUrl, operatorToken, seed, takeOvers }: Server): Postern {
  const api = createOperatorApi(operatorUrl, operatorToken)
  const general = createOperatorApi(url, operatorToken)
  const users = idsByName(seed)
  const idOf = (user: string) => users.get(user) ?? user
  const app = createApp({ app: firstApp(seed), users, tokens: seed.tokens ?? [], url, api })
  const inbox = createInbox(api, app.id, idOf)
  return {
    url,
    adsUrl,
    adsSandboxUrl,
    operatorToken,
    app,
    api,
    inbox,
    faults: createFaults(api),
    clock: createPosternClock(api),
    requests: createRequests(api, general),
    takeOver: takeOvers.takeOver,
    trigger: createTrigger(api, idOf),
    ...createSnapshots(api),
    world: (options = {}) => createWorld({ api, general, url }, options),
    reset: async () => void (await api.call('POST', '/operator/reset', {})),
    toJSON: () => ({ url, adsUrl, adsSandboxUrl, app, inbox }),
    load: async (more) => void (await api.call('POST', '/operator/seed', more)),
  }
}
