import type { Logger } from 'pino'

/** What of a grant was used a second time: it may have been stolen. */
export interface Reused {
  reused: 'authorization code' | 'refresh token'
  appId: string
  grantId: string
}

/** Told of a grant that ended because a code or refresh token of it was used again, never of the token. */
export type ReportReused = (reused: Reused) => void

/** Logs and counts grants that ended so: the two strongest signs of a theft that OAuth 2.0 has. */
export const createReusedReport =
  (logger: Logger, counted: () => void): ReportReused =>
  (reused) => {
    counted()
    logger.warn(reused, 'a code or refresh token was used again, and its grant has ended')
  }
