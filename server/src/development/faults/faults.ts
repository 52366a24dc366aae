import { Problem } from '../../api/declare/problem.ts'
import type { RawRequest } from '../../api/declare/raw-request.ts'
import { callMatcher } from './call-pattern.ts'
import type { Disorders } from './disorders.ts'
import { type Aim, ANY_EVENT, CHALLENGE, type Effect, type Fault, type Hit, type Sending } from './fault.ts'

/** How many faults there are at a time. Spent ones are kept to be looked at, and make room for new ones. */
export const MAX_FAULTS = 100
const MAX_HITS = 20

/** The faults of this process. */
export interface Faults {
  /** Throws `conflict` when there are too many. */
  add(aim: Aim, effect: Effect, times: number): Fault
  /** Those that are aimed at an app, or all; oldest first. */
  list(appId?: string): readonly Fault[]
  /** False if there is none of this id. */
  remove(id: string): boolean
  /** Removes those that are aimed at an app, or all. Returns how many there were. */
  clear(appId?: string): number
  /** Returns a function that removes those that were added since. */
  remember(): () => void
  /** The fault that hits a call: before its caller is known one for all apps, afterwards one for that app. It is counted. */
  takeCall(request: RawRequest, app: { id: string | undefined } | undefined): Fault | undefined
  /** The fault that hits a delivery or a challenge. It is counted. */
  takeSending(sending: Sending): Fault | undefined
  /** The faults that hit the deliveries of an event to a webhook, drawn ones too. */
  hitting(eventUuid: string, webhookId: string): Pick<Fault, 'id' | 'effect'>[]
}

const tooMany = () =>
  new Problem('conflict', {
    detail: `There are ${MAX_FAULTS} faults that have not hit yet, the most that there may be. Delete some with DELETE /operator/faults/<id>, or all with DELETE /operator/faults.`,
  })

/** A fault, and whether it hits a call. */
interface Armed {
  fault: Fault
  matchesCall: (request: RawRequest) => boolean
}

const matchesEvent = ({ delivery }: Aim, eventType: string) => delivery === eventType || (delivery === ANY_EVENT && eventType !== CHALLENGE)

const isOf = (wanted: string | undefined, actual: string | undefined) => wanted === undefined || wanted === actual

function hit(fault: Fault, one: Hit): Fault {
  fault.timesLeft -= 1
  fault.hits.push(one)
  if (fault.hits.length > MAX_HITS) fault.hits.shift()
  return fault
}

export function createFaults(now: () => number, disorders: Pick<Disorders, 'hitting'>): Faults {
  let armed: Armed[] = []
  let made = 0

  const makeRoom = () => {
    if (armed.length < MAX_FAULTS) return
    const spent = armed.find(({ fault }) => fault.timesLeft === 0)
    if (!spent) throw tooMany()
    armed = armed.filter((one) => one !== spent)
  }

  const first = (matches: (one: Armed) => boolean) => armed.find((one) => one.fault.timesLeft > 0 && matches(one))?.fault

  return {
    add(aim, effect, times) {
      makeRoom()
      made += 1
      const fault: Fault = { id: String(made), aim, effect, createdAtMs: now(), timesLeft: times, hits: [] }
      armed.push({ fault, matchesCall: aim.call === undefined ? () => false : callMatcher(aim.call) })
      return fault
    },
    list: (appId) => armed.map(({ fault }) => fault).filter(({ aim }) => isOf(appId, aim.appId)),
    remove(id) {
      const before = armed.length
      armed = armed.filter(({ fault }) => fault.id !== id)
      return armed.length < before
    },
    clear(appId) {
      const before = armed.length
      armed = armed.filter(({ fault }) => !isOf(appId, fault.aim.appId))
      return before - armed.length
    },
    remember() {
      const last = made
      return () => {
        armed = armed.filter(({ fault }) => Number(fault.id) <= last)
      }
    },
    takeCall(request, app) {
      if (armed.length === 0) return undefined
      const isFor = ({ appId }: Aim) => (app === undefined ? appId === undefined : appId !== undefined && appId === app.id)
      const found = first(({ fault, matchesCall }) => isFor(fault.aim) && matchesCall(request))
      const what = `${request.method} ${request.target.split('?', 1)[0]}`
      return found && hit(found, { atMs: now(), what, appId: app?.id })
    },
    takeSending({ eventType, eventUuid, appId, webhookId }) {
      if (armed.length === 0) return undefined
      const found = first(({ fault: { aim } }) => matchesEvent(aim, eventType) && isOf(aim.appId, appId) && isOf(aim.webhookId, webhookId))
      const about = { ...(eventUuid !== undefined && { eventUuid }), ...(webhookId !== undefined && { webhookId }) }
      return found && hit(found, { atMs: now(), what: eventType, appId, ...about })
    },
    hitting: (eventUuid, webhookId) => [
      ...armed
        .map(({ fault }) => fault)
        .filter(({ hits }) => hits.some((one) => one.eventUuid === eventUuid && one.webhookId === webhookId)),
      ...disorders.hitting(eventUuid, webhookId),
    ],
  }
}
