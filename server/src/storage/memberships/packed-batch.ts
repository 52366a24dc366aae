/** How an identifier was given; the number is stored, so a kind keeps its own. */
export const identifierKinds = { email: 1, device_id: 2, handle: 3, service_id: 4, phone_number: 5, partner_user_id: 6 } as const

export type IdentifierKind = keyof typeof identifierKinds

/** The kind of an identifier, then its SHA-256. */
export const IDENTIFIER_BYTES = 33

/** A user whom a batch adds, changes or deletes. */
export interface BatchUser {
  /** The user's identifiers, as latin1 text: at least one. */
  keys: string[]
  isDeleted: boolean
  /** In seconds since 1970. */
  effective: number
  expires: number
}

/**
 * A batch in one buffer, so that threads hand it over without copying: how many operations, users and identifiers there are (32 bits each,
 * one unused), for each operation its begin and its end (64-bit floats, seconds since 1970) and the number of its users (32 bits, the
 * highest says that it deletes), for each user the number of its identifiers (32 bits), then the identifiers.
 */
const HEADER_BYTES = 16
const DELETES = 0x8000_0000

const offsetsOf = (operations: number, users: number) => {
  const times = HEADER_BYTES
  const userCounts = times + operations * 16
  const identifierCounts = userCounts + operations * 4
  return { times, userCounts, identifierCounts, identifiers: identifierCounts + users * 4 }
}

/** Collects a batch. Operations are begun in order, users belong to the last operation and identifiers to the last user. */
export function createPacker() {
  const times: number[] = []
  const userCounts: number[] = []
  const identifierCounts: number[] = []
  let bytes = Buffer.allocUnsafeSlow(64 * 1024)
  let end = 0

  return {
    beginOperation(isDeleted: boolean, effective: number, expires: number) {
      times.push(effective, expires)
      userCounts.push(isDeleted ? DELETES : 0)
    },
    beginUser() {
      userCounts[userCounts.length - 1]! += 1
      identifierCounts.push(0)
    },
    /** Where the identifier is to be written, its kind already is; it counts once `keep` is called. */
    offsetFor(kind: number): { bytes: Buffer; at: number } {
      if (end + IDENTIFIER_BYTES > bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2)
      bytes[end] = kind
      return { bytes, at: end + 1 }
    },
    keep() {
      end += IDENTIFIER_BYTES
      identifierCounts[identifierCounts.length - 1]! += 1
    },
    /** How many identifiers the last user has. */
    identifiersOfUser: () => identifierCounts.at(-1) ?? 0,
    users: () => identifierCounts.length,
    identifiers: () => end / IDENTIFIER_BYTES,
    finish(): ArrayBuffer {
      const operations = userCounts.length
      const offsets = offsetsOf(operations, identifierCounts.length)
      const packed = new ArrayBuffer(offsets.identifiers + end)
      new Uint32Array(packed, 0, 4).set([operations, identifierCounts.length, end / IDENTIFIER_BYTES, 0])
      new Float64Array(packed, offsets.times, times.length).set(times)
      new Uint32Array(packed, offsets.userCounts, operations).set(userCounts)
      new Uint32Array(packed, offsets.identifierCounts, identifierCounts.length).set(identifierCounts)
      new Uint8Array(packed, offsets.identifiers).set(bytes.subarray(0, end))
      return packed
    },
  }
}

const PART_IDENTIFIERS = 10_000

/** Reads a packed batch: its identifiers as keys, in order, and its users. */
export function unpackBatch(packed: ArrayBuffer) {
  const [operations, users, count] = new Uint32Array(packed, 0, 3) as unknown as [number, number, number]
  const offsets = offsetsOf(operations, users)
  const times = new Float64Array(packed, offsets.times, operations * 2)
  const userCounts = new Uint32Array(packed, offsets.userCounts, operations)
  const identifierCounts = new Uint32Array(packed, offsets.identifierCounts, users)
  const bytes = Buffer.from(packed, offsets.identifiers, count * IDENTIFIER_BYTES)
  const keyAt = (index: number) => bytes.toString('latin1', index * IDENTIFIER_BYTES, (index + 1) * IDENTIFIER_BYTES)

  function* eachUser(): Generator<BatchUser> {
    let user = 0
    let identifier = 0
    for (let operation = 0; operation < operations; operation += 1) {
      const isDeleted = userCounts[operation]! >= DELETES
      const last = user + (isDeleted ? userCounts[operation]! - DELETES : userCounts[operation]!)
      const [effective, expires] = [times[operation * 2]!, times[operation * 2 + 1]!]
      for (; user < last; user += 1) {
        const keys: string[] = []
        for (let left = identifierCounts[user]!; left > 0; left -= 1) keys.push(keyAt(identifier++))
        yield { keys, isDeleted, effective, expires }
      }
    }
  }

  /** The users in parts of so many identifiers, or a user's more, so that the rows of a large batch are not in memory all at once. */
  function* parts(): Generator<readonly BatchUser[]> {
    let users: BatchUser[] = []
    let identifiers = 0
    for (const user of eachUser()) {
      users.push(user)
      identifiers += user.keys.length
      if (identifiers < PART_IDENTIFIERS) continue
      yield users
      users = []
      identifiers = 0
    }
    if (users.length > 0) yield users
  }

  return { parts }
}
