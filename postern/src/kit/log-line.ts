/** A log line. */
export interface LogLine {
  /** 30 is `info`, 40 `warn`, 50 `error`, 60 `fatal`. */
  level: number
  time: string
  msg: string
  [member: string]: unknown
}
