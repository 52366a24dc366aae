import { Problem } from '../../../api/declare/problem.ts'

/** Of one user, in this process. */
const MOST_AT_ONCE = 16
const MOST_BYTES = 1024 * 1024 * 1024

/** What is being taken in of each user, which no cap of the database counts yet. */
export interface Receipts {
  /** Passes bytes on. Throws 429 if too much of this user comes at the same time. */
  count(userId: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

const tooMuch = () =>
  new Problem('too-many-requests', {
    detail: `More than ${MOST_AT_ONCE} segments or 1 GB of this user are being taken in at the same time; wait for some to be answered.`,
  })

export function createReceipts(): Receipts {
  const underWay = new Map<string, { requests: number; bytes: number }>()
  return {
    async *count(userId, bytes) {
      const all = underWay.get(userId) ?? { requests: 0, bytes: 0 }
      if (all.requests >= MOST_AT_ONCE) throw tooMuch()
      underWay.set(userId, all)
      all.requests += 1
      let own = 0
      try {
        for await (const piece of bytes) {
          own += piece.length
          all.bytes += piece.length
          if (all.bytes > MOST_BYTES) throw tooMuch()
          yield piece
        }
      } finally {
        all.requests -= 1
        all.bytes -= own
        if (all.requests === 0) underWay.delete(userId)
      }
    },
  }
}
