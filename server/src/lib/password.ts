import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const hash = promisify(argon2)

interface Cost {
  /** KiB. */
  memory: number
  passes: number
  parallelism: number
}

const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
/** Enough for a random password, which nobody guesses. */
const COST_OF_RANDOM: Cost = { memory: 8, passes: 1, parallelism: 1 }
const NONCE_BYTES = 16
const TAG_BYTES = 32

/** Verifying a more expensive hash would take too much memory or time. */
const MAX_COST: Cost = { memory: 256 * 1024, passes: 10, parallelism: 8 }

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

interface PasswordHash extends Cost {
  nonce: Buffer
  tag: Buffer
}

function parseHash(text: string): PasswordHash | undefined {
  const found = PHC.exec(text)
  if (!found) return undefined
  const [memory, passes, parallelism] = found.slice(1, 4).map(Number) as [number, number, number]
  if (memory < 8 * parallelism || passes < 1 || parallelism < 1) return undefined
  if (memory > MAX_COST.memory || passes > MAX_COST.passes || parallelism > MAX_COST.parallelism) return undefined
  return { memory, passes, parallelism, nonce: Buffer.from(found[4]!, 'base64'), tag: Buffer.from(found[5]!, 'base64') }
}

/** Whether a text is an argon2id hash in PHC format with an acceptable cost: at most 256 MiB, 10 passes, 8 lanes. */
export const isPasswordHash = (text: string): boolean => parseHash(text) !== undefined

/** True for a text that is meant as a hash, valid or not. */
export const looksLikeHash = (text: string): boolean => text.startsWith('$argon2')

/** The argon2id hash of a password, in PHC format. Runs off the event loop. */
export async function hashPassword(password: string, cost: Cost = COST): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES)
  const tag = await hash('argon2id', { message: password, nonce, ...cost, tagLength: TAG_BYTES })
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
}

/** The hash of a random password that is thrown away after a test: as cheap as can be. */
export const hashRandomPassword = (password: string): Promise<string> => hashPassword(password, COST_OF_RANDOM)

/** A hash that no password has. */
const UNMATCHABLE: PasswordHash = { ...COST, nonce: Buffer.alloc(NONCE_BYTES), tag: Buffer.alloc(TAG_BYTES) }

/** Whether a password matches a hash. Without a hash it does not, after the same amount of work. Runs off the event loop. */
export async function isPasswordOf(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  const wanted = parseHash(passwordHash ?? '') ?? UNMATCHABLE
  const { memory, passes, parallelism, nonce, tag } = wanted
  const found = await hash('argon2id', { message: password, nonce, memory, passes, parallelism, tagLength: tag.length })
  return timingSafeEqual(found, tag) && wanted !== UNMATCHABLE
}
