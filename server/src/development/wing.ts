import { hostname } from 'node:os'
import type { PublicHost } from '../access/client-origin.ts'
import type { RejectedSignature } from '../access/oauth1/verify.ts'
import type { OperatorServices } from '../access/operator.ts'
import type { DialectName } from '../api/declare/dialect.ts'
import type { RawRequest } from '../api/declare/raw-request.ts'
import type { Fallbacks } from '../api/http/fallbacks.ts'
import { jsonPage } from '../api/http/pages.ts'
import type { Route } from '../api/http/route.ts'
import type { Explain } from '../api/serve.ts'
import type { SendChallenge } from '../delivery/challenge/challenger.ts'
import type { UnderWay } from '../delivery/dispatch/under-way.ts'
import type { AttemptListener } from '../delivery/dispatcher.ts'
import type { Publisher } from '../delivery/publish.ts'
import { refusingCallback } from '../delivery/refusing-callback.ts'
import type { SignedPost } from '../delivery/signed-request.ts'
import { adsEndpoints, generalEndpoints } from '../endpoints/index.ts'
import { createSemaphore, type Semaphore } from '../lib/mutex.ts'
import type { Attempt } from '../storage/event-log.ts'
import type { MediaFiles } from '../storage/media-files.ts'
import { trackSender } from './clock/activity.ts'
import { CLOCK_OFFSET, describeOffset } from './clock/clock-offset.ts'
import { dueThings } from './clock/due-things.ts'
import { tellAttempt, tellChallenge } from './clock/happenings.ts'
import { createRecentNonces } from './clock/recent-nonces.ts'
import { sampleFirst } from './clock/sample-first.ts'
import { developmentEndpoints, developmentPages } from './endpoints.ts'
import { createExplain } from './explain/explain-refusals.ts'
import { createExplanations } from './explain/explanations.ts'
import { createDisorders } from './faults/disorders.ts'
import { createDisturb, type DisturbOptions } from './faults/disturb-call.ts'
import { disturbChallenges, disturbPost } from './faults/disturb-sending.ts'
import { createFaults, type Faults } from './faults/faults.ts'
import { createPauses } from './faults/pauses.ts'
import type { Given } from './given.ts'
import { createPageCheck } from './hosts/foreign-pages.ts'
import { createHostCheck, realHosts, realOrigins } from './hosts/host-names.ts'
import { explainingFallbacks, type Served } from './hosts/other-hosts.ts'
import { createInboxes } from './inboxes/inboxes.ts'
import { createPublications } from './inboxes/publications.ts'
import { feedView } from './requests/call-view.ts'
import { createCausedEvents } from './requests/caused-events.ts'
import { createLedger } from './requests/ledger.ts'
import { keepFiles } from './snapshots/kept-files.ts'
import { createBackToSeed, createSnapshotStore, type Held } from './snapshots/snapshots.ts'
import { readKeys } from './start-page/keys.ts'
import { startPageRoute } from './start-page/start-page-route.ts'
import { createCauses } from './trigger/caused.ts'
import { createFirstAttempts } from './trigger/first-attempts.ts'

export { createActivity } from './clock/activity.ts'
export type { Held } from './snapshots/snapshots.ts'

const isTool = (endpointName: string) => developmentPages.some(({ name }) => name === endpointName)

/** What the public hosts serve, without the tools of development. */
const publicEndpoints = () => [...generalEndpoints, ...adsEndpoints]

/** What `postern run` and the test kit ask: which host of the real service leads to which listener. */
const takeOverPage = ({ dialect, listening }: Given): Route => {
  const origins = () => Object.fromEntries([...realHosts].map(([host, listener]) => [host, listening.boundOrigin(listener)]))
  return jsonPage('/.well-known/postern', () => ({ dialect: dialect.name, hosts: origins() }))
}

/** A log line says what a callback answered, and what may be wrong with it. */
const sayAnswer = (dialect: DialectName) => (attempt: Attempt) => {
  const hint = refusingCallback(attempt, dialect)
  return { ...(attempt.response !== '' && { response: attempt.response }), ...(hint !== undefined && { hint }) }
}

const publicHosts: readonly PublicHost[] = ['general', 'advertising', 'sandbox']

/** Says why a host refuses a request by its headers: a server under development has few names, and serves no pages of others. */
const refusesForeign = ({ settings, listening }: Given, host: PublicHost) => {
  const media = settings.mediaBaseUrl === undefined ? [] : [settings.mediaBaseUrl]
  const foreignName = createHostCheck({
    origins: () => [...listening.clientOrigins(host), ...media],
    setting: listening.originSetting(host),
    machineName: settings.exposeDevelopment ? hostname() : undefined,
  })
  const foreignPage = createPageCheck(() => publicHosts.flatMap((one) => listening.clientOrigins(one)))
  return (request: RawRequest) => foreignName(request) ?? foreignPage(request)
}

/** Moves the clock to where a former start left it, and says so when that is not the real time. */
async function restoreClock({ storage, clock, logger }: Given) {
  const offset = await storage.metadata.get(CLOCK_OFFSET)
  if (offset === undefined) return
  clock.setOffset(Number(offset))
  const moved = describeOffset(Number(offset))
  if (moved) logger.warn(moved)
}

/** Loads the module with the first rejected signature, for a faster start. */
async function explainSignature(refusal: RejectedSignature, answer: string) {
  const { explain } = await import('./explain/signatures/explain.ts')
  return explain(refusal, answer)
}

/** What integrators test with: faults, inboxes, the last calls and events. */
function createTools({ settings, storage, eventLog, dialect, clock, now, feed, logger }: Given) {
  const { apps, webhooks, metadata, changes, worker } = storage
  const publicNames = new Set(publicEndpoints().map(({ name }) => name))
  const signatureHeader = dialect.out('x-service-webhooks-signature')
  const disorders = createDisorders(now, settings.retryPlanMs.length)
  return {
    publications: createPublications(now),
    disorders,
    faults: createFaults(now, disorders),
    pauses: createPauses(clock),
    ledger: createLedger(
      now,
      () => publicNames,
      (call) => feed.tell(() => feedView(call)),
    ),
    inboxes: createInboxes({ apps, webhooks, eventLog, metadata, changes, worker, now, logger, signatureHeader }),
  }
}

type Tools = ReturnType<typeof createTools>

/** Forgets everything, because the state was wiped. */
const forgetting =
  ({ publications, disorders, faults, ledger, inboxes }: Tools) =>
  () => {
    for (const tool of [publications, disorders, faults, ledger, inboxes]) tool.clear()
  }

/** Notes what of the tools a snapshot goes back to. */
const remembering =
  ({ faults, publications, inboxes }: Tools) =>
  () => {
    const goBack = [faults.remember(), publications.remember()]
    return () => {
      for (const one of goBack) one()
      return inboxes.reconcile()
    }
  }

/** What of the running server the tools work with, besides what is replaced. */
interface HeldMore extends Held {
  underWay(): UnderWay
}

/** What a trigger performs and waits with: one after the other performs, because each looks for who may. */
function createTriggering({ settings }: Given, faults: Faults) {
  return {
    causes: createCauses(),
    attempts: createFirstAttempts(faults),
    oneAtATime: createSemaphore(1, Number.POSITIVE_INFINITY),
    callbackTimeoutMs: settings.callbackTimeoutMs,
  }
}

/**
 * Everything that only development has. Production never loads this module nor what is beside it: `assemble.ts` imports it when the profile
 * is development, and hands its hooks to the services, the delivery and the hosts.
 */
export async function openWing(given: Given) {
  const { storage, dialect, clock, now, activity, listening } = given
  await restoreClock(given)
  const tools = createTools(given)
  const { publications, disorders, faults, pauses, ledger, inboxes } = tools
  const explanations = createExplanations({ origin: () => listening.origins.base_url, clock })
  const causedEvents = createCausedEvents()
  const triggering = createTriggering(given, faults)
  const turns = createSemaphore(1, Number.POSITIVE_INFINITY)
  const inTurn: Semaphore = (task) => turns(() => activity.apart(task))
  return {
    pages: developmentPages,
    endpoints: developmentEndpoints,
    /** Adds what the endpoints here are given. */
    services({ underWay, ...running }: HeldMore) {
      const held: Held = { ...running, clear: () => running.clear().then(pauses.dropAll) }
      const snapshots = createSnapshotStore(given, { ...held, remember: remembering(tools) })
      const backToSeed = createBackToSeed(given, held, forgetting(tools))
      return {
        inboxes,
        publications,
        disorders,
        faults,
        ledger,
        publicEndpoints,
        explanations,
        ...triggering,
        underWay,
        inTurn,
        snapshots,
        backToSeed: () => inTurn(backToSeed),
        due: (nowMs: number, limit: number) => dueThings(given, nowMs, limit),
        keys: () => readKeys(given),
        // The clock may have been moved, which clients do not know.
        machineNow: () => clock.now() - clock.offset(),
        nonces: createRecentNonces(storage.nonces, clock),
      }
    },
    /** Pages of the general host. `hasConsole` builds the console if it is not built. */
    routes: (services: OperatorServices, hasConsole: () => Promise<boolean>): Route[] => [
      startPageRoute(given, services, hasConsole),
      takeOverPage(given),
    ],
    record: ledger.record,
    sampleFirst,
    /** Answers a call, and notes which events it causes. */
    noteCaused: causedEvents.answer,
    noteUnmatched: causedEvents.noteUnmatched,
    published: publications.published,
    /** Explains a rejected signature; answers the URL of the explanation. */
    explainSignature: (refusal: RejectedSignature, answer: string) => explanations.keep(explainSignature(refusal, answer)),
    explain: (services: OperatorServices) => createExplain({ explanations, originOf: services.originOf, now }),
    /** The answers of a host to paths that it does not have. */
    explainingFallbacks(own: Fallbacks, hosts: readonly Served[], explain: Explain) {
      const paths = () => [...publicEndpoints(), ...developmentPages].map(({ path }) => path)
      return explainingFallbacks(own, { hosts, paths, generalOrigin: () => listening.origins.base_url }, explain)
    },
    refusesForeign: (host: PublicHost) => refusesForeign(given, host),
    realOrigins,
    clockNotice: () => describeOffset(clock.offset()),
    sayAnswer: sayAnswer(dialect.name),
    tellAttempt: (listener: AttemptListener) => triggering.attempts.listen(tellAttempt(activity)(listener)),
    watchPublisher: (publisher: Publisher) => triggering.causes.watch(causedEvents.watch(publisher)),
    tellChallenge: tellChallenge(activity),
    trackSender: trackSender(activity),
    keepFiles: (files: MediaFiles) => keepFiles(files, `snapshots/${storage.worker}/`),
    /** Lets faults hit calls, deliveries and challenges. */
    disturb: (options: Pick<DisturbOptions, 'limits' | 'problemOptions'>) =>
      createDisturb({ ...options, faults, disorders, dialect, isTool, pauses, now }),
    disturbPost: (post: SignedPost) => triggering.attempts.watchPost(disturbPost(post, faults, disorders, pauses, storage.webhooks)),
    disturbChallenges: (send: SendChallenge) => disturbChallenges(send, faults, pauses),
    /** Removes what a former process left. */
    start: inboxes.removeLeft,
    /** Lets no call wait any longer, so that the hosts can close. */
    endWaiting() {
      inboxes.endWaiting()
      pauses.endAll()
    },
    stop: inboxes.stop,
  }
}
export type Wing = Awaited<ReturnType<typeof openWing>>
