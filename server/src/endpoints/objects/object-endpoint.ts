import type { AppCaller } from '../../access/app-bearer.ts'
import type { OAuth2UserCaller } from '../../access/oauth2-user.ts'
import type { UserCaller } from '../../access/signed-user.ts'
import type { Auth } from '../../api/declare/auth.ts'
import { type Declaration, endpoint, type HandlerInput } from '../../api/declare/endpoint.ts'
import { integer, listOf, object, optional, type Params, type ParamsOf, type TSchema, text } from '../../api/declare/words.ts'
import { includesSchema } from '../../api/objects/data-object.ts'
import { type Kinds, shapeParams } from '../../api/objects/selection.ts'
import { objectOfKind } from './index.ts'
import { type AskedAny, loadAnswer, type ObjectServices } from './load-answer.ts'
import { partialErrorSchema } from './partial-errors.ts'

/** Who reads: the user of the access token; undefined for an app with its bearer token. */
export const viewerOf = (caller: AppCaller | UserCaller): string | undefined => ('user' in caller ? caller.user.id : undefined)

/** What an OAuth 2.0 access token may do; undefined for other credentials. */
const scopesOf = (caller: AppCaller | OAuth2UserCaller) => ('scopes' in caller ? caller.scopes : undefined)

const META = object({
  result_count: integer({ min: 0 }),
  newest_id: optional(text()),
  oldest_id: optional(text()),
  next_token: optional(text()),
  previous_token: optional(text()),
})

/** What an answer with objects of these kinds holds. */
export function answerSchema(kinds: Kinds, isList: boolean, isPaged: boolean): TSchema {
  const [main] = kinds
  const included = [...new Set(Object.values(main.expansions).map(({ to }) => objectOfKind(to)))]
  return object({
    data: optional(isList ? listOf(main.schema) : main.schema),
    ...(included.length > 0 && { includes: optional(includesSchema(included)) }),
    errors: optional(listOf(partialErrorSchema)),
    ...(isPaged && { meta: META }),
  })
}

type ObjectDeclaration<P extends Params, C extends AppCaller, AuthServices, Services> = Pick<
  Declaration<P, C, TSchema, AuthServices, Services>,
  'name' | 'route' | 'section' | 'summary' | 'description' | 'rateLimit' | 'scopes' | 'params' | 'example' | 'rules' | 'problems'
> & {
  auth: Auth<C, AuthServices>
  isList?: boolean
  /** Whether its answers have `meta`. */
  isPaged?: boolean
  /** Which objects the answer is about. */
  asked(call: HandlerInput<P, C>, services: Services & ObjectServices): AskedAny | Promise<AskedAny>
}

/** An endpoint whose answer is objects of a kind, shaped by the request (§2.9): the first kind is what it is about, the others are what it may include. */
export function objectEndpoint<P extends Params, C extends AppCaller, AuthServices, Services>(
  kinds: Kinds,
  { asked, isList = false, isPaged = false, ...declared }: ObjectDeclaration<P, C, AuthServices, Services>,
) {
  const params = { ...declared.params, ...shapeParams(kinds) } as P
  return endpoint<P, C, TSchema, AuthServices, Services & ObjectServices>({
    ...declared,
    params,
    answer: answerSchema(kinds, isList, isPaged),
    async handle(call, services) {
      const found = await asked(call, services)
      const viewer = { viewerId: viewerOf(call.caller), scopes: scopesOf(call.caller) }
      return loadAnswer(kinds, found, call.params as ParamsOf<Params>, viewer, services, call.giveWay)
    },
  })
}
