/** What the worker `round.ts` is started with, and answers for each minute. */
export interface RoundArgument {
  url: string
  databasePid: number | undefined
  webhooks: number
}

export interface RoundMinute {
  challenges: number
  cpuMicros: number
  /** Resident memory after it. */
  mb: number
}
