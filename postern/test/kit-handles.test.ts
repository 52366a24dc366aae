// Every handle of the kit survives resets and restores, in any order: random sequences of calls beside a plain model of what must be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Disorder, type Fault, type Snapshot, type StartedPostern, startPostern, type UserCredentials, type World } from 'postern'
import { cases } from '../../server/test/stage/cases.ts'
import { authorization } from '../../server/test/stage/oauth-client.ts'

/** What must be on the server. Inboxes, faults and worlds are numbered as they are made. */
interface State {
  inbox: number | undefined
  fault: number | undefined
  /** Of the last one that was begun. */
  disorder: 'none' | 'under way' | 'ended' | 'gone'
  /** Of a user whom the seed does not let use the app. */
  hasToken: boolean
  world: number | undefined
  worldInbox: number | undefined
}

const SEED: State = { inbox: undefined, fault: undefined, disorder: 'none', hasToken: false, world: undefined, worldInbox: undefined }

const USER = 'mina'
const EVENT = 'profile.update.bio'

/** A server, its handles, and what must be true of them. */
interface Real {
  postern: StartedPostern
  state: State
  made: number
  fault?: Fault
  disorder?: Disorder
  world?: World
  /** The number of the world that `world` is a handle of. */
  lastWorld?: number
  saved?: { snapshot: Snapshot; state: State }
}

/** A disorder that is under way is gone after a reset; one that was ended tells what it had drawn. */
const disorderAfterReset = ({ disorder }: State): State['disorder'] => (disorder === 'under way' ? 'gone' : disorder)

/** A fault that was added meanwhile is gone; disorders are no part of a snapshot. An inbox that was removed or replaced meanwhile does not come back: its program may have ended. */
function restored({ state, lastWorld }: Real, saved: State): State {
  const same = (one: number | undefined, other: number | undefined) => (one === other ? one : undefined)
  const world = same(saved.world, lastWorld)
  return {
    hasToken: saved.hasToken,
    fault: same(saved.fault, state.fault),
    disorder: state.disorder,
    inbox: same(saved.inbox, state.inbox),
    world,
    worldInbox: world === undefined ? undefined : same(saved.worldInbox, state.worldInbox),
  }
}

const number = (real: Real) => {
  real.made += 1
  return real.made
}

/** A call of the kit; answers what has changed. */
type Step = (real: Real) => Promise<Partial<State>>

const steps: Record<string, Step> = {
  async register(real) {
    await real.postern.inbox.register({ events: [EVENT] })
    return { inbox: number(real) }
  },
  async removeInbox({ postern }) {
    await postern.inbox.remove()
    return { inbox: undefined }
  },
  async addFault(real) {
    if (real.state.fault !== undefined) return {}
    real.fault = await real.postern.faults.add({ call: 'GET /2/webhooks', status: 503 })
    return { fault: number(real) }
  },
  async removeFault({ postern, fault }) {
    if (fault) await postern.faults.remove(fault)
    return { fault: undefined }
  },
  async beginDisorder(real) {
    if (real.state.disorder === 'under way') return {}
    real.disorder = await real.postern.disorder({ seed: 7, calls: 0, deliveries: 0 })
    return { disorder: 'under way' }
  },
  async endDisorder({ disorder, state }) {
    await disorder?.end()
    return state.disorder === 'under way' ? { disorder: 'ended' } : {}
  },
  async authorize({ postern }) {
    await postern.app.authorize(USER)
    return { hasToken: true }
  },
  async makeWorld(real) {
    await real.world?.remove()
    real.world = await real.postern.world({ users: ['ada'] })
    real.lastWorld = number(real)
    return { world: real.lastWorld, worldInbox: undefined }
  },
  async registerInWorld(real) {
    if (real.state.world === undefined) return {}
    await real.world!.inbox.register({ events: [EVENT] })
    return { worldInbox: number(real) }
  },
  async removeWorld({ world }) {
    await world?.remove()
    return { world: undefined, worldInbox: undefined }
  },
  async snapshot(real) {
    await real.saved?.snapshot.remove()
    real.saved = { snapshot: await real.postern.snapshot(), state: real.state }
    return {}
  },
  async restore(real) {
    if (!real.saved) return {}
    await real.postern.restore(real.saved.snapshot)
    return restored(real, real.saved.state)
  },
  async reset({ postern, state }) {
    await postern.reset()
    return { ...SEED, disorder: disorderAfterReset(state) }
  },
}

/** Whom the server takes for the caller of a call that is signed with these credentials. */
async function callerOf({ url }: StartedPostern, { appKey, appSecret, accessToken, accessSecret }: UserCredentials) {
  const at = `${url}/2/users/me`
  const credentials = { consumer_key: appKey, consumer_secret: appSecret, oauth_token: accessToken, oauth_token_secret: accessSecret }
  const answer = await fetch(at, { headers: { authorization: authorization({ ...credentials, method: 'GET', url: at }) } })
  return ((await answer.json()) as { data?: { username: string } }).data?.username
}

/** An inbox gets what is triggered, or says that it must be registered first. */
async function checkInbox({ inbox, trigger }: Pick<World, 'inbox' | 'trigger'>, isThere: boolean) {
  if (!isThere) {
    assert.throws(() => inbox.url, /await inbox\.register\(\)/)
    await assert.rejects(inbox.next(EVENT, { timeoutMs: 0 }), /await inbox\.register\(\)/)
    return
  }
  const { event_uuid } = await trigger(EVENT, { user: 'ada' })
  assert.equal((await inbox.next(EVENT)).event_uuid, event_uuid)
}

/** A disorder tells what it has drawn, or that it is gone. */
async function checkDisorder(disorder: Disorder | undefined, is: State['disorder']) {
  if (is === 'gone') await assert.rejects(disorder!.drawn(), /the disorder with the seed 7 is gone, after a reset/)
  else assert.deepEqual(await disorder?.drawn(), is === 'none' ? undefined : [])
}

async function check({ postern, world, disorder, state }: Real) {
  assert.equal((await postern.faults.list()).length, Number(state.fault !== undefined))
  await checkDisorder(disorder, state.disorder)
  await checkInbox(postern, state.inbox !== undefined)
  if (state.hasToken) assert.equal(await callerOf(postern, postern.app.userCredentials(USER)), USER)
  else assert.throws(() => postern.app.userCredentials(USER), /has not allowed the app/)
  if (state.world !== undefined) await checkInbox(world!, state.worldInbox !== undefined)
}

const names = Object.keys(steps)

/** All pairs of calls, each once, in one sequence: from a call on to the next that it was not followed by yet, its own repetition last. */
function allPairs(): string[] {
  const left = new Map(names.map((name, place) => [name, [name, ...names.slice(place + 1), ...names.slice(0, place)]]))
  const way = [names[0]!]
  const sequence: string[] = []
  while (way.length > 0) {
    const next = left.get(way.at(-1)!)!.pop()
    if (next === undefined) sequence.unshift(way.pop()!)
    else way.push(next)
  }
  return sequence
}

async function run(postern: StartedPostern, sequence: readonly string[]) {
  await postern.reset()
  const real: Real = { postern, state: SEED, made: 0 }
  for (const name of sequence) {
    real.state = { ...real.state, ...(await steps[name]!(real)) }
    await check(real)
  }
  await real.saved?.snapshot.remove()
}

test('handles do what they say after any two calls of the kit in a row', async () => {
  const sequence = allPairs()
  const pairs = new Set(sequence.slice(1).map((name, place) => `${sequence[place]} ${name}`))
  assert.equal(pairs.size, names.length ** 2)
  await using postern = await startPostern()
  await run(postern, sequence)
})

test('handles do what they say after any calls of the kit', async () => {
  await using postern = await startPostern()
  const sequences = fc.array(fc.constantFrom(...names), { minLength: 3, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(sequences, (sequence) => run(postern, sequence)),
    { numRuns: cases(3, 200) },
  )
})
