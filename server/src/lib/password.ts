import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const hash = promisify(argon2)

const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

/** True for an argon2id hash in PHC form. */
export const isPasswordHash = (text: string) => /^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/.test(text)

/** The argon2id hash of a password, in PHC form. Off the event loop. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await hash('argon2id', { message: password, nonce, ...COST })
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
}
