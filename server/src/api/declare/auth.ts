import type { Caller } from './caller.ts'
import type { ProblemName } from './problem.ts'
import type { RawRequest } from './raw-request.ts'

export type { Caller } from './caller.ts'

/** What an endpoint says of those who may call it, besides its `auth`. */
export interface Called {
  /** The OAuth 2.0 scopes that a user's token needs (§5.6). */
  scopes: readonly string[]
}

/**
 * A way to say who is calling. `authenticate` answers the caller or throws a Problem, and the same for the same request
 * when it is asked again; `Services` is what it needs for that.
 */
export interface Auth<C extends Caller, Services> {
  /** The name of the security scheme in the OpenAPI description; null when no credentials are asked for. */
  name: string | null
  /** The OpenAPI security scheme. */
  scheme?: Record<string, unknown>
  /** The ways to say it, where there are several: any of them will do. */
  anyOf?: readonly Pick<Auth<Caller, never>, 'name' | 'scheme'>[]
  /** How it refuses a caller who is known. */
  problems?: readonly ProblemName[]
  /** Whether a parameter of this name is part of the credentials of a request, and none of the endpoint's. */
  isCredential?(name: string, request: RawRequest): boolean
  /**
   * A form is part of what it verifies: before a large one comes, this is asked instead, whether the credentials name somebody. Throws a Problem
   * if not.
   */
  assertKnown?(request: RawRequest, services: Services, endpoint: Called): Promise<void>
  /** The parameters that the portal of an app may send, where one may call. */
  portal?: Readonly<Record<string, string>>
  /** Throws where this caller may not send these parameters, once they are read. */
  assertMaySend?(params: Record<string, unknown>, caller: C, services: Services): Promise<void>
  authenticate(request: RawRequest, services: Services, endpoint: Called): Promise<C>
}

/** Anyone may call. */
export const noAuth: Auth<Caller, unknown> = {
  name: null,
  authenticate: async (request) => ({ rateKey: `address:${request.remoteAddress}` }),
}
