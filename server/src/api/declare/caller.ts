/** What every caller has. */
export interface Caller {
  /** The key under which its calls are counted. */
  rateKey: string
  /** The same for calls that are counted for all users of an account. */
  accountKey?: string
  /** What every answer to it says. */
  headers?: Record<string, string>
}
