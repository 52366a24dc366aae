import type { Logger } from 'pino'
import { type FairTurns, type GiveWay, unshared } from '../lib/fair-turns.ts'
import { lazy } from '../lib/lazy.ts'
import { readExactJson } from '../lib/numbers.ts'
import { DeletedMeanwhile } from '../storage/unavailable.ts'
import type { Page, Redirect } from './answer/page.ts'
import { Written } from './answer/serialize.ts'
import { type ProblemOptions, problemOf } from './answer/serialize-problem.ts'
import { areas } from './areas.ts'
import { isOfPages } from './declare/area-names.ts'
import type { Auth, Caller } from './declare/auth.ts'
import { type Dialect, dialects, type Translate } from './declare/dialect.ts'
import { EndlessAnswer } from './declare/endless-answer.ts'
import type { AuditNote, Endpoint } from './declare/endpoint.ts'
import type { Listed } from './declare/map.ts'
import { Problem } from './declare/problem.ts'
import type { RawAnswer, RawRequest } from './declare/raw-request.ts'
import type { Why } from './declare/why.ts'
import { type WriteOptions, WrittenAnswer } from './declare/written-answer.ts'
import { CONTENT_TYPES, isOfType } from './read/body.ts'
import { claimedOwner } from './read/claimed-owner.ts'
import type { ReadParameters } from './read/parameters.ts'
import { compileReader, completeProblem } from './read/reader.ts'
import { createBodyTaker } from './read/take-body.ts'
import { type DatabaseWait, type RunUntilBack, waitForNothing } from './wait-for-database.ts'

/** Counts a call and lets it pass, or throws or rejects; answers the headers that say how much is left. */
export type CountCall = (
  endpoint: Endpoint,
  caller: Caller,
  request: RawRequest,
) => Promise<Record<string, string>> | Record<string, string>

/** Stands between a call and its answer, for tests that want faults. Called before the caller is known, and again once it is. */
export type Disturb = (
  endpoint: Endpoint,
  request: RawRequest,
  caller: Caller | undefined,
  answer: () => Promise<RawAnswer>,
) => Promise<RawAnswer>

/** Stands around a call, for whoever traces it. */
export type Trace = (endpoint: Endpoint, request: RawRequest, answer: () => Promise<RawAnswer>) => Promise<RawAnswer>

/** Explains refused calls to whoever develops against this server: keeps an explanation and adds its URL to the answer. */
export interface Explain {
  refusal(answer: RawAnswer, request: RawRequest, why: Why): void
  problem(answer: RawAnswer, request: RawRequest, of: { problem: Problem; auth: Pick<Auth<Caller, never>, 'scheme' | 'anyOf'> }): void
  /** Of a page that says no. */
  page(answer: RawAnswer, request: RawRequest, page: Page | Redirect): void
}

export interface ServeOptions<Services> {
  endpoints: readonly Listed<Services>[]
  /** Endpoints that only the sandbox host serves, where another host is served. */
  onSandboxAlone?: readonly Pick<Listed, 'method' | 'path'>[]
  services: Services
  /** Throws a Problem for a request that no endpoint may serve, whoever sent it. */
  admit?: (request: RawRequest) => void
  dialect: Dialect
  problemOptions: ProblemOptions
  countCall: CountCall
  /** Shares the event loop among the apps, and before these are known among those who say so; without it nothing waits. */
  turns?: FairTurns
  /** The network of the client that sends a request, behind the proxies that are trusted. */
  networkOf?: (request: RawRequest) => string
  /** Lets calls wait while the database is away; without it nothing waits. */
  databaseWait?: Pick<DatabaseWait, 'run'>
  log: Logger
  /** Sees the body of every success before it is serialized; tests check it against its schema. */
  inspect?: (endpoint: Endpoint, status: number, body: unknown) => void
  /** In development alone. */
  explain?: Explain
  /** Told of every call before its answer is sent, and who called where that is known. The answer waits for what it returns. */
  answered?: (endpoint: Endpoint, request: RawRequest, status: number, caller?: Caller, note?: AuditNote) => Promise<void> | undefined
  /** In development alone. */
  disturb?: Disturb
  /** Only where traces are sent to a collector. */
  trace?: Trace | undefined
}

/** How an endpoint's answers are spelled in the dialect that is served. */
function translatorOf(endpoint: Endpoint, dialect: Dialect): Translate {
  const translate = dialect.answerTranslator(endpoint.answer)
  if (dialect.name !== 'x' || !endpoint.wrappedInX) return translate
  return (value) => ({ data: translate ? translate(value) : value })
}

/** A body before it is serialized; one of data objects as its JSON reads. */
const plainBodyOf = (body: unknown, { problemBaseUrl }: ProblemOptions): unknown =>
  body instanceof WrittenAnswer ? readExactJson(body.write({ dialect: dialects.spec, problemBaseUrl })) : body

/** Writes an answer that may be long, in slices. */
async function writeLong(body: WrittenAnswer, options: WriteOptions, giveWay: GiveWay): Promise<Written> {
  const written = body.writeInSlices(options, giveWay)
  return new Written(typeof written === 'string' ? written : await written)
}

/** What a call says on its answer, and who called, as it becomes known. */
interface Progress {
  headers: Record<string, string>
  caller?: Caller
  /** Whose work it is. */
  owner: string
  giveWay: GiveWay
  untilBack: RunUntilBack
  note?: AuditNote
}

/** What a call begins with. */
function begin<Services>(
  { deprecation }: Pick<Endpoint, 'deprecation'>,
  { body }: RawRequest,
  { turns = unshared, databaseWait = waitForNothing }: Pick<ServeOptions<Services>, 'turns' | 'databaseWait'>,
): Progress {
  const progress: Progress = {
    headers: { ...deprecation?.headers },
    owner: '',
    giveWay: () => turns.goOn(progress.owner),
    untilBack: databaseWait.run(body?.length ?? 0),
  }
  return progress
}

/** What a handler adds to: the headers of its answer, and what the audit log says. */
const sharedWith = (progress: Progress) => ({
  headers: progress.headers,
  giveWay: progress.giveWay,
  noteInAudit(note: AuditNote) {
    progress.note = note
  },
})

/** Who calls an endpoint; throws or rejects for everybody who may not. */
function callerOf<Services>(endpoint: Endpoint<Services>, request: RawRequest, { services, admit }: ServeOptions<Services>) {
  admit?.(request)
  return endpoint.auth.authenticate(request, services, endpoint)
}

/** The same at its turn, and once the database is back where it is away. */
async function callerAtTurn<Services>(
  endpoint: Endpoint<Services>,
  request: RawRequest,
  options: ServeOptions<Services>,
  { untilBack }: Progress,
) {
  const others = options.turns?.begin(() => claimedOwner(request, options.networkOf?.(request) ?? request.remoteAddress))
  if (others) await others
  return untilBack(() => callerOf(endpoint, request, options))
}

/**
 * Some callers may not send every parameter. What a request refers to may be deleted while it is handled: then nothing was changed, and
 * handled again it meets the deletion.
 */
async function handleOfCaller<Services>(
  { auth, handle, isRepeatable }: Endpoint<Services>,
  call: Parameters<Endpoint<Services>['handle']>[0],
  services: Services,
  untilBack: RunUntilBack,
): Promise<unknown> {
  const run = () => untilBack(() => handle(call, services), isRepeatable)
  if (auth.assertMaySend) await auth.assertMaySend(call.params, call.caller, services)
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof DeletedMeanwhile)) throw error
    return run()
  }
}

/** What is answered to an error of a request for an endpoint. */
function refusalOf(
  { name, area, auth }: Pick<Endpoint, 'name' | 'area' | 'auth'>,
  error: unknown,
  request: RawRequest,
  { problemOptions, log, explain }: Pick<ServeOptions<never>, 'problemOptions' | 'log' | 'explain'>,
): RawAnswer {
  const problem = problemOf(error, log, name)
  const answer = areas[area].refuse(problem, problemOptions)
  explain?.problem(answer, request, { problem, auth })
  return answer
}

/** The transport knows one limit for all endpoints of a path, the largest. */
function assertWithinLimit({ bodyLimitBytes }: Endpoint, { body }: RawRequest) {
  if (body !== null && body.length > bodyLimitBytes)
    throw new Problem('too-large', { detail: `The request body is larger than ${bodyLimitBytes} bytes.` })
}

/** One endpoint: authenticate, count, read, handle, answer. How it reads is compiled with the first call that gets so far. */
export function compileEndpoint<Services>(declared: Endpoint<Services>, options: ServeOptions<Services>) {
  const { services, dialect, problemOptions, countCall, turns = unshared, inspect, explain, answered, disturb, trace } = options
  const endpoint = declared as Endpoint
  const area = areas[endpoint.area]
  const compiled = lazy(() => ({
    read: compileReader(endpoint, area.parameters, dialect),
    readMultipart: endpoint.streamed && compileReader({ ...endpoint, place: 'form' }, area.parameters, dialect),
    translate: translatorOf(endpoint, dialect),
  }))
  const takeBody = createBodyTaker(declared)

  async function count(caller: Caller, request: RawRequest, progress: Progress) {
    progress.caller = caller
    progress.owner = caller.app?.id ?? caller.rateKey
    Object.assign(progress.headers, caller.headers)
    const counted = progress.untilBack(() => countCall(endpoint, caller, request))
    Object.assign(progress.headers, counted instanceof Promise ? await counted : counted)
  }

  /** A caller who is known and refused is counted too. A refusal takes its turn, all those of nobody known one after the other. */
  async function countRefused(error: unknown, request: RawRequest, progress: Progress): Promise<never> {
    if (error instanceof Problem && error.caller) await count(error.caller, request, progress)
    await turns.beginAs(progress.owner)
    throw error
  }

  async function handle(
    request: RawRequest,
    caller: Caller,
    read: ReadParameters,
    received: unknown,
    progress: Progress,
  ): Promise<unknown> {
    const { params, deferred } = read
    try {
      const call = { params, deferred, caller, request, received, ...sharedWith(progress) }
      const value = await handleOfCaller(declared, call, services, progress.untilBack)
      if (deferred.errors.length > 0) throw new Error('an endpoint ignored errors in its parameters')
      return area.envelope(value, read.echo)
    } catch (error) {
      throw error instanceof Problem ? completeProblem(error, read, area.parameters) : error
    }
  }

  async function answerTo(request: RawRequest, caller: Caller, progress: Progress): Promise<RawAnswer> {
    await count(caller, request, progress)
    const others = turns.beginAs(progress.owner)
    if (others) await others
    // Nobody reads the answer. What has begun is done: it may have changed something.
    if (others && request.connection?.destroyed) throw new Problem('unavailable', { detail: 'The client left before its turn.' })
    assertWithinLimit(endpoint, request)
    const { read, readMultipart = read, translate } = compiled()
    const body = await takeBody(request, caller, services, async ({ request: whole, isMultipart, received }) => {
      const parameters = (isMultipart ? readMultipart : read)(whole, caller, progress.giveWay)
      return handle(whole, caller, parameters instanceof Promise ? await parameters : parameters, received, progress)
    })
    if (!(body instanceof EndlessAnswer)) inspect?.(endpoint, endpoint.success, plainBodyOf(body, problemOptions))
    const writing = { ...problemOptions, translate, dialect }
    const written = body instanceof WrittenAnswer ? await writeLong(body, writing, progress.giveWay) : body
    const answer = area.answer(endpoint, written, writing)
    if (isOfPages(endpoint.area)) explain?.page(answer, request, body as Page | Redirect)
    return answer
  }

  const refuse = (error: unknown, request: RawRequest) => refusalOf(endpoint, error, request, options)

  async function respond(request: RawRequest, progress: Progress): Promise<RawAnswer> {
    try {
      const caller = await callerAtTurn(declared, request, options, progress).catch((error) => countRefused(error, request, progress))
      if (!disturb) return await answerTo(request, caller, progress)
      progress.caller = caller
      return await disturb(endpoint, request, caller, () => answerTo(request, caller, progress).catch((error) => refuse(error, request)))
    } catch (error) {
      return refuse(error, request)
    }
  }

  async function answerOrRefuse(request: RawRequest): Promise<RawAnswer> {
    const progress = begin(declared, request, options)
    const answer = await (disturb ? disturb(endpoint, request, undefined, () => respond(request, progress)) : respond(request, progress))
    Object.assign(answer.headers, progress.headers)
    answer.endpoint = endpoint.name
    answer.caller = progress.caller
    await answered?.(endpoint, request, answer.status, progress.caller, progress.note)
    return answer
  }

  return trace ? (request: RawRequest) => trace(endpoint, request, () => answerOrRefuse(request)) : answerOrRefuse
}

/** Counts a caller who is known and refused, and answers what is refused: that, or that it was one call too many. */
async function countEarly(
  endpoint: Endpoint,
  error: unknown,
  request: RawRequest,
  { countCall }: Pick<ServeOptions<never>, 'countCall'>,
): Promise<{ error: unknown; headers: Record<string, string> }> {
  const caller = error instanceof Problem ? error.caller : undefined
  if (!caller) return { error, headers: {} }
  try {
    return { error, headers: { ...caller.headers, ...(await countCall(endpoint, caller, request)) } }
  } catch (tooMany) {
    return { error: tooMany, headers: { ...caller.headers } }
  }
}

/** Asks for the caller before a large body is read, which the headers alone must tell; before a form that is signed, for whoever may have sent it. */
export async function refuseEarly<Services>(endpoint: Endpoint<Services>, request: RawRequest, options: ServeOptions<Services>) {
  const { auth } = endpoint
  const { services, turns, admit, databaseWait = waitForNothing } = options
  const isForm = isOfType(request, CONTENT_TYPES.form)
  const ask = (): Promise<unknown> =>
    auth.assertKnown && isForm ? auth.assertKnown(request, services, endpoint) : auth.authenticate(request, services, endpoint)
  try {
    await turns?.begin(() => claimedOwner(request, options.networkOf?.(request) ?? request.remoteAddress))
    admit?.(request)
    await databaseWait.run(0)(ask)
    return undefined
  } catch (thrown) {
    const { error, headers } = await countEarly(endpoint as Endpoint, thrown, request, options)
    const refusal = refusalOf(endpoint as Endpoint, error, request, options)
    Object.assign(refusal.headers, headers)
    refusal.endpoint = endpoint.name
    await options.answered?.(endpoint as Endpoint, request, refusal.status, thrown instanceof Problem ? thrown.caller : undefined)
    return refusal
  }
}
