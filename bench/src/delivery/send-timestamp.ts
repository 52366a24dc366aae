const MARK = '"sent '

/** The beginning of a timestamped event's text: its number and the machine's monotonic clock, which all processes share. */
export const timestampText = (number: number) => `sent ${number} ${process.hrtime.bigint()} `

export interface SendTimestamp {
  number: number
  /** Time since the event was sent. */
  ageMs: number
}

/** Reads the timestamp of a delivery body; undefined when it has none. */
export function readTimestamp(body: Buffer): SendTimestamp | undefined {
  const at = body.indexOf(MARK)
  if (at === -1) return undefined
  const [, number, sentAtNs] = body.toString('latin1', at, at + 60).split(' ', 3)
  return { number: Number(number), ageMs: Number(process.hrtime.bigint() - BigInt(sentAtNs!)) / 1e6 }
}
