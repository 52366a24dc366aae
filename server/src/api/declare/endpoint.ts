import type { GiveWay } from '../../lib/fair-turns.ts'
import type { FieldChange } from '../../storage/audit-log.ts'
import { type AreaName, areaNameOf, bodyFormats } from './area-names.ts'
import type { Auth, Caller } from './auth.ts'
import type { Code } from './codes.ts'
import type { EndlessAnswer } from './endless-answer.ts'
import { USUAL_BODY_BYTES, USUAL_VALUES } from './host-limits.ts'
import type { ProblemName, WebhookReason } from './problem.ts'
import type { RawRequest } from './raw-request.ts'
import type { DeferredErrors, Rule } from './rules.ts'
import type { StreamedBody } from './streamed-body.ts'
import type { Params, ParamsOf, Static, TSchema } from './words.ts'
import type { WrittenAnswer } from './written-answer.ts'

/** Since when something is deprecated and when it may be gone, in ISO 8601. */
interface Deprecated {
  since: string
  sunset: string
}

/** A moment as a structured field has it (RFC 9745): `@1774915200`. */
const fieldDate = (iso: string) => `@${Date.parse(iso) / 1000}`

/** A moment as HTTP writes it (RFC 8594): `Wed, 31 Mar 2027 00:00:00 GMT`. */
const httpDate = (iso: string) => new Date(iso).toUTCString()

/** The headers of an answer to a request that used something deprecated. `link` says where to go instead. */
export const deprecationHeaders = ({ since, sunset }: Deprecated, link: string): Record<string, string> => ({
  deprecation: fieldDate(since),
  sunset: httpDate(sunset),
  link,
})

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The status of a success whose answer has no body. */
export const NO_CONTENT = 204

/** What a call was about and what it changed, where its path and query do not say so. */
export interface AuditNote {
  appId?: string
  userId?: string
  changes?: readonly FieldChange[]
}

/** What a handler is given: typed parameters, who is calling, and the request as it came. */
export interface HandlerInput<P extends Params, C extends Caller, Received = never> {
  params: ParamsOf<P>
  /** Errors in parameters, where the endpoint has `deferredRules`: these parameters are not in `params`, and the handler throws the errors. */
  deferred: DeferredErrors
  caller: C
  request: RawRequest
  /** Headers of the answer, a refusal too, besides those that every answer has. */
  headers: Record<string, string>
  /** What was made of the part that was streamed, if there was one. A handler that rejects has it discarded. */
  received: Received | undefined
  /** Adds to what the audit log says of the call. Never a secret. */
  noteInAudit(note: AuditNote): void
  /** Long work calls it again and again, and awaits what it answers: others are served meanwhile. */
  giveWay: GiveWay
}

/** A path that an endpoint had before, still served: the same handler, the same rate limit, and headers that say it ends. */
interface DeprecatedPath extends Deprecated {
  /** With placeholders for those parameters that stand in the path. The others are sent as JSON, or without a body in the query. */
  path: `/${string}`
  /** The section of the specification: `§9`. */
  section: string
}

/** A JSON body that no parameters are read from. */
interface RawBody {
  /** What it holds, for the description. */
  schema: TSchema
  /** A body that succeeds, for the generated tests. */
  example: unknown
}

/** How an endpoint is declared. From this come its types, checks, answers, documentation and generated tests. */
export interface Declaration<P extends Params, C extends Caller, Answer extends TSchema, AuthServices, Services, Received = never> {
  /** The operation's id, and the key of its rate limit. */
  name: string
  /** `POST /2/webhooks/:webhook_id` */
  route: `${Method} /${string}`
  deprecatedPath?: DeprecatedPath
  /** The section of the specification: `§4.1`. */
  section: string
  summary: string
  /** Choices the specification leaves open, for the reference page. */
  description?: string
  auth: Auth<C, AuthServices>
  /** The OAuth 2.0 scopes that a user's token needs (§5.6). */
  scopes?: readonly string[]
  params: P
  rules?: readonly Rule[]
  /** Rules of a record as a whole, which the handler checks; errors in parameters wait for it, and are named with its own. */
  deferredRules?: readonly Pick<Rule, 'message'>[]
  /** What 2xx answers; for an answer without an end what one of its lines is. */
  answer: Answer
  /** The status of success; 200 unless §4 names another. */
  success?: number
  /** In the `x` dialect the answer stands inside `data`. */
  wrappedInX?: boolean
  /** The answer's members go out as a form instead of JSON. */
  answersForm?: boolean
  /** The media type of an answer without an end that is not lines of the area's own JSON: `text/event-stream`. */
  mediaType?: string
  /** 200 without a body. */
  answersNothing?: boolean
  /** The refusals of its own, besides those every endpoint has. */
  problems?: readonly (ProblemName | WebhookReason)[]
  /** On the sandbox host alone. */
  sandboxOnly?: boolean
  /**
   * Calls per 15 minutes; `core` for a read of the advertising API that is counted for each account, `audience` for a batch of users of an
   * audience.
   */
  rateLimit?: number | 'core' | 'audience'
  /** The numeric error of a call over the limit, where it is another than that of the area. */
  overLimitCode?: Code
  bodyLimitBytes?: number
  /** The values, lists and objects that its JSON body may have. */
  mostValues?: number
  /** A list whose items may be read some at a time, where the body is large: the rules say of some of them what they say of all. */
  slicedList?: keyof P & string
  /** How the parameters of a body arrive, where the area's way is not it. A DELETE has a body only with this. */
  body?: 'json' | 'form'
  /** Parameters are read from the query where there is no body. */
  isQueryRead?: boolean
  /** A JSON body that the handler reads itself from `request.body`. All parameters stand in the path then. */
  rawBody?: RawBody
  /** A multipart body is taken too, and one part of it as it comes. */
  streamed?: StreamedBody<Received, C, Services>
  /**
   * May be handled again where the database went away meanwhile and is back: it does nothing twice, or clients that get a 503 would repeat it
   * all the same (an event without an `event_uuid`). A GET may in any case.
   */
  isRepeatable?: boolean
  /** A request that succeeds, as far as parameters go; for the generated tests, where the words' examples do not suffice. What is undefined is left out. */
  example?: Record<string, unknown>
  handle(call: HandlerInput<P, C, Received>, services: Services): Promise<Static<Answer> | WrittenAnswer | EndlessAnswer>
}

/** A declared endpoint, as everything else reads it. */
export interface Endpoint<in Services = never> {
  name: string
  /** The key of its rate limit: its name, or that of the endpoint which it counts with. */
  limitName: string
  method: Method
  /** With placeholders: `/2/webhooks/:webhook_id`. */
  path: string
  pathNames: readonly string[]
  area: AreaName
  /** Where it is served besides; see `withDeprecatedPaths`. */
  deprecatedPath: DeprecatedPath | undefined
  /** Set where this is the endpoint at its deprecated path. */
  deprecation: { headers: Record<string, string>; successor: string } | undefined
  /** Parameters are read from the query where there is no body. */
  isQueryRead: boolean
  /** Calls per 15 minutes, or which of the limits that its area shares. */
  rateLimit: number | 'core' | 'audience' | undefined
  overLimitCode: Code | undefined
  section: string
  summary: string
  description: string
  auth: Auth<Caller, Services>
  scopes: readonly string[]
  params: Params
  rules: readonly Rule[]
  deferredRules: readonly Pick<Rule, 'message'>[]
  answer: TSchema
  success: number
  wrappedInX: boolean
  answersForm: boolean
  mediaType: string | undefined
  answersNothing: boolean
  problems: readonly (ProblemName | WebhookReason)[]
  sandboxOnly: boolean
  bodyLimitBytes: number
  mostValues: number
  slicedList: string | undefined
  /** Where parameters that are not in the path arrive; `raw` where the handler reads the body. */
  place: 'query' | 'form' | 'body' | 'raw'
  rawBody: RawBody | undefined
  streamed: StreamedBody<unknown, Caller, Services> | undefined
  isRepeatable: boolean
  example: Record<string, unknown>
  handle(call: HandlerInput<Params, Caller, unknown>, services: Services): Promise<unknown>
}

/** The names of the placeholders of a path. */
export const pathNamesOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!)

const hasBody = (method: Method) => method === 'POST' || method === 'PUT' || method === 'PATCH'

function exampleOf(word: TSchema): unknown {
  const { examples, enum: values } = word as { examples?: unknown[]; enum?: unknown[] }
  return examples?.[0] ?? values?.[0]
}

/** Declares an endpoint. */
export function endpoint<P extends Params, C extends Caller, Answer extends TSchema, AuthServices, Services, Received = never>(
  declared: Declaration<P, C, Answer, AuthServices, Services, Received>,
): Endpoint<AuthServices & Services> {
  const [method, path] = declared.route.split(' ') as [Method, string]
  const area = areaNameOf(path)
  const inBody = declared.rawBody ? 'raw' : (declared.body ?? bodyFormats[area]) === 'json' ? 'body' : 'form'
  const examples = Object.entries(declared.params).map(([name, word]) => [name, exampleOf(word)])
  return {
    limitName: declared.name,
    rules: [],
    scopes: [],
    deferredRules: [],
    deprecatedPath: undefined,
    deprecation: undefined,
    isQueryRead: false,
    success: 200,
    wrappedInX: false,
    answersForm: false,
    mediaType: undefined,
    answersNothing: false,
    sandboxOnly: false,
    rateLimit: undefined,
    overLimitCode: undefined,
    description: '',
    bodyLimitBytes: USUAL_BODY_BYTES,
    mostValues: USUAL_VALUES,
    slicedList: undefined,
    rawBody: undefined,
    streamed: undefined,
    isRepeatable: method === 'GET',
    ...(declared as unknown as Pick<
      Endpoint<AuthServices & Services>,
      'name' | 'section' | 'summary' | 'auth' | 'params' | 'answer' | 'handle'
    >),
    method,
    path,
    pathNames: pathNamesOf(path),
    area,
    problems: [...(declared.problems ?? []), ...(declared.auth.problems ?? [])],
    place: hasBody(method) || declared.body !== undefined ? inBody : 'query',
    example: Object.fromEntries(
      Object.entries({ ...Object.fromEntries(examples), ...declared.example }).filter(([, example]) => example !== undefined),
    ),
  }
}
