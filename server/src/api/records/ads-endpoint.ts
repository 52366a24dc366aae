import type { Caller } from '../declare/auth.ts'
import { type Declaration, type Endpoint, endpoint, type HandlerInput, type Method } from '../declare/endpoint.ts'
import { anyObject, integer, nullable, object, optional, type Params, type TSchema, text } from '../declare/words.ts'
import type { WrittenAnswer } from '../declare/written-answer.ts'

/** What an endpoint of the advertising hosts answers: the request is put beside it (§2.4). */
export interface AdsAnswer {
  data: unknown
  /** What the request was, where it is not its parameters that are repeated. */
  request?: unknown
  next_cursor?: string | null
  total_count?: number
}

/** An endpoint of the advertising hosts, declared like any other but for its answer. */
export type AdsDeclaration<P extends Params, C extends Caller, AuthServices, Services> = Omit<
  Declaration<P, C, TSchema, AuthServices, Services>,
  'answer' | 'handle' | 'route'
> & {
  route: `${Method} /${12 | 5}/${string}`
  /** What `data` holds. */
  data: TSchema
  /** What `request` holds, where it is not the parameters. */
  request?: TSchema
  /** Whether the answer is a page of a list. */
  isList?: boolean
  handle(call: HandlerInput<P, C>, services: Services): Promise<AdsAnswer | WrittenAnswer>
}

const usualRequest = object({ params: anyObject({ description: 'The parameters of the request.' }) })
const ofLists = { next_cursor: nullable(text()), total_count: optional(integer()) }

/** Declares an endpoint of the advertising hosts. */
export function adsEndpoint<P extends Params, C extends Caller, AuthServices, Services>({
  data,
  request = usualRequest,
  isList = false,
  ...declared
}: AdsDeclaration<P, C, AuthServices, Services>): Endpoint<AuthServices & Services> {
  const answer = object({ request, data, ...(isList && ofLists) }) as TSchema
  return endpoint({ ...declared, answer } as unknown as Declaration<P, C, TSchema, AuthServices, Services>)
}
