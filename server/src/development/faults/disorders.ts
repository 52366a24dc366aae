import { Problem } from '../../api/declare/problem.ts'
import { createDisorder, type Disorder, type DisorderSettings, type DisturbedCall, type DisturbedSending, type Drawn } from './disorder.ts'

/** How many disorders there are at a time, each for another app. */
export const MAX_DISORDERS = 100

/** The disorders of this process. */
export interface Disorders {
  /** Throws `conflict` when there is one for the same app, or for all, or when there are too many. */
  begin(settings: DisorderSettings): Disorder
  /** Oldest first. */
  list(): readonly Disorder[]
  find(id: string): Disorder | undefined
  /** False if there is none of this id. */
  end(id: string): boolean
  clear(): void
  /** The one that hits calls of an app, and deliveries to it: its own, or else that for all. */
  hittingApp(appId: string | undefined): Disorder | undefined
  /** The fault that was drawn for a call. */
  takeCall(call: DisturbedCall): Drawn | undefined
  takeSending(sending: DisturbedSending): Drawn | undefined
  /** The faults that hit the deliveries of an event to a webhook. */
  hitting(eventUuid: string, webhookId: string): Drawn[]
}

const conflict = (detail: string) => new Problem('conflict', { detail })

const underWay = ({ id, settings: { seed, appId } }: Disorder) =>
  conflict(
    `The disorder ${id} with the seed ${seed} is under way for ${appId === undefined ? 'all apps' : `the app ${appId}`}. End it first, with DELETE /operator/disorders/${id}, or \`await disorder.end()\` in the test kit.`,
  )

const tooMany = () =>
  conflict(`There are ${MAX_DISORDERS} disorders, the most that there may be. End some with DELETE /operator/disorders/<id>.`)

/** `mostRetries`: how often a delivery is attempted again. */
export function createDisorders(now: () => number, mostRetries: number): Disorders {
  let disorders: Disorder[] = []
  let made = 0

  const ofApp = (appId: string | undefined) => disorders.find(({ settings }) => settings.appId === appId)
  const hittingApp = (appId: string | undefined) => (appId === undefined ? undefined : ofApp(appId)) ?? ofApp(undefined)

  return {
    begin(settings) {
      const other = ofApp(settings.appId)
      if (other) throw underWay(other)
      if (disorders.length >= MAX_DISORDERS) throw tooMany()
      made += 1
      const disorder = createDisorder(String(made), settings, mostRetries, now)
      disorders.push(disorder)
      return disorder
    },
    list: () => disorders,
    find: (id) => disorders.find((one) => one.id === id),
    end(id) {
      const before = disorders.length
      disorders = disorders.filter((one) => one.id !== id)
      return disorders.length < before
    },
    clear() {
      disorders = []
    },
    hittingApp,
    takeCall: (call) => hittingApp(call.appId)?.takeCall(call),
    takeSending: (sending) => hittingApp(sending.appId)?.takeSending(sending),
    hitting: (eventUuid, webhookId) =>
      disorders.flatMap(({ drawn }) => drawn.filter((one) => one.eventUuid === eventUuid && one.webhookId === webhookId)),
  }
}
