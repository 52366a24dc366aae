import type { RawRequest } from './raw-request.ts'

/** What every caller has. */
export interface Caller {
  /** The key under which its calls are counted. */
  rateKey: string
  /** The same for calls that are counted for all users of an account. */
  accountKey?: string
  /** What every answer to it says. */
  headers?: Record<string, string>
}

/**
 * A way to say who is calling. `authenticate` answers the caller or throws a Problem; `Services` is what it needs for that.
 */
export interface Auth<C extends Caller, Services> {
  /** The name of the security scheme in the OpenAPI description; null when no credentials are asked for. */
  name: string | null
  /** The OpenAPI security scheme. */
  scheme?: Record<string, unknown>
  /** Whether a parameter of this name is part of the credentials, and none of the endpoint's. */
  isCredential?(name: string): boolean
  /** What is sent with one request authenticates it once, and not before all of it is there. */
  isOnce?: boolean
  authenticate(request: RawRequest, services: Services): Promise<C>
}

/** Anyone may call. */
export const noAuth: Auth<Caller, unknown> = {
  name: null,
  authenticate: async (request) => ({ rateKey: `address:${request.remoteAddress}` }),
}
