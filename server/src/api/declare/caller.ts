/** What every caller has. */
export interface Caller {
  /** The key under which its calls are counted. */
  rateKey: string
  /** The app that calls, where it is one: it shares the process fairly with other apps. */
  app?: { id: string }
  /** The same for calls that are counted for all users of an account. */
  accountKey?: string
  /** The limit by which all its calls are counted, instead of that of the endpoint. */
  countedBy?: string
  /** What every answer to it says. */
  headers?: Record<string, string>
}
