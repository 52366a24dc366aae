import type { Logger } from 'pino'

/** What was wrong. Signatures are logged with their reason (`oauth1/report-refusals.ts`), operator tokens with the call. */
export type RefusedCredentials = 'app secret' | 'client secret' | 'bearer token' | 'password'

/** Told of wrong credentials and the client's address, never of the credentials. */
export type ReportRefused = (credentials: RefusedCredentials, address: string) => void

/** Logs wrong credentials. After too many of them they are refused without being looked at, and only counted. */
export const createRefusedReport =
  (logger: Logger): ReportRefused =>
  (credentials, address) =>
    logger.warn({ credentials, address }, 'wrong credentials')
