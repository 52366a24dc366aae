const MARK = '"sent '

/** What the text of a stamped event begins with: its number, and the machine's monotonic clock, which all processes share. */
export const stampOf = (number: number) => `sent ${number} ${process.hrtime.bigint()} `

export interface Stamp {
  number: number
  /** Since the event was stamped. */
  ageMs: number
}

/** Reads the stamp of a delivery's body; undefined when it has none. */
export function readStamp(body: Buffer): Stamp | undefined {
  const at = body.indexOf(MARK)
  if (at === -1) return undefined
  const [, number, sentAtNs] = body.toString('latin1', at, at + 60).split(' ', 3)
  return { number: Number(number), ageMs: Number(process.hrtime.bigint() - BigInt(sentAtNs!)) / 1e6 }
}
