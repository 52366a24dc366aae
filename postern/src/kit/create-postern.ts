import { createApp } from './app.ts'
import { createPosternClock } from './clock.ts'
import { createDeliveries } from './deliveries.ts'
import { createBeginDisorder } from './disorder.ts'
import { createFaults } from './faults.ts'
import { createInbox } from './inbox.ts'
import { createOperatorApi } from './operator-api.ts'
import type { Postern } from './postern.ts'
import { createRequests } from './requests.ts'
import { createSettled } from './settled.ts'
import { createSnapshots } from './snapshots.ts'
import type { Seed, SeedApp, SeedToken } from './start-options.ts'
import type { TakeOvers } from './take-over.ts'
import { createTrigger } from './trigger.ts'
import { createUsers } from './users.ts'
import { createWorld } from './world.ts'

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

/** What became of a seed. Records that exist already stay as they are: a token is named by its app, its user and its access. */
interface Loaded {
  data: { differing: readonly { kind: string; id: string }[] }
}

/** The functions of the kit for a server. */
export function createPostern({ url, adsUrl, adsSandboxUrl, operatorUrl, operatorToken, seed, takeOvers }: Server): Postern {
  const api = createOperatorApi(operatorUrl, operatorToken)
  const general = createOperatorApi(url, operatorToken)
  const { follow, ...snapshots } = createSnapshots(api)
  const { users, learn: learnUsers } = createUsers(api, seed, follow)
  const { app, learn: learnTokens } = createApp({ app: firstApp(seed), users, tokens: seed.tokens ?? [], url, api, follow })
  const inbox = createInbox({ api, appId: app.id, idOf: users.idOf, follow })
  return {
    url,
    adsUrl,
    adsSandboxUrl,
    operatorToken,
    app,
    api,
    inbox,
    faults: createFaults(api),
    disorder: createBeginDisorder(api),
    clock: createPosternClock(api),
    requests: createRequests(api, general),
    takeOver: takeOvers.takeOver,
    trigger: createTrigger(api, users.idOf),
    settled: createSettled(api),
    deliveries: createDeliveries(api),
    ...snapshots,
    world: (options = {}) => createWorld({ api, general, url, follow }, options),
    toJSON: () => ({ url, adsUrl, adsSandboxUrl, app, inbox }),
    async load(more) {
      const { data } = await api.call<Loaded>('POST', '/operator/seed', more)
      const hasAnother = ({ user_id }: SeedToken) =>
        data.differing.some(({ kind, id }) => kind === 'tokens' && id.startsWith(`${app.id}:${user_id}:`))
      learnUsers(more)
      learnTokens((more.tokens ?? []).filter((token) => !hasAnother(token)))
    },
  }
}
