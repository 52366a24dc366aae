import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { leastRecentlyUsed } from './cache.ts'

const IV_BYTES = 12
const TAG_BYTES = 16

/** No key decrypts a value: it was encrypted with another `POSTERN_SECRET`, or modified. */
export class SealError extends Error {}

/** Authenticated encryption at rest. Each purpose (a table and column) has its own key, so that a sealed value is not valid in another column. */
export interface Seal {
  seal(purpose: string, plain: string): string
  /** Decrypts a value. Throws a SealError if no key does. */
  open(purpose: string, sealed: string): string
  /** Encrypts the value with the first secret; undefined if it is already. Throws a SealError if no key decrypts it. */
  reencrypt(purpose: string, sealed: string): string | undefined
}

/** AES-256-GCM with keys derived from `secrets`: the first encrypts, all decrypt. */
export function createSeal(secrets: readonly string[]): Seal {
  const keys = new Map<string, Buffer>()
  const keyFor = (secret: string, purpose: string) => {
    const name = `${purpose}\n${secret}`
    let key = keys.get(name)
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', secret, 'postern seal', purpose, 32))
      keys.set(name, key)
    }
    return key
  }

  const seal = (purpose: string, plain: string) => {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', keyFor(secrets[0]!, purpose), iv)
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64')
  }

  const openWith = (secret: string, purpose: string, bytes: Buffer) => {
    const decipher = createDecipheriv('aes-256-gcm', keyFor(secret, purpose), bytes.subarray(0, IV_BYTES))
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  }

  const openAny = (purpose: string, sealed: string): { plain: string; place: number } => {
    const bytes = Buffer.from(sealed, 'base64')
    for (const [place, secret] of secrets.entries()) {
      try {
        return { plain: openWith(secret, purpose, bytes), place }
      } catch {}
    }
    throw new SealError(`cannot decrypt ${purpose}: it was encrypted with another POSTERN_SECRET`)
  }

  return {
    seal,
    open: (purpose, sealed) => openAny(purpose, sealed).plain,
    reencrypt(purpose, sealed) {
      const { plain, place } = openAny(purpose, sealed)
      return place === 0 ? undefined : seal(purpose, plain)
    },
  }
}

const MAX_ENTRIES = 20_000

/**
 * Wraps a seal with a cache of decrypted values, because a lookup costs less than decryption. The key is the purpose and the whole sealed
 * text, so a changed or re-encrypted value is decrypted again. Failures are not cached.
 */
export function cacheOpened(seal: Seal, maxEntries = MAX_ENTRIES): Seal {
  const opened = leastRecentlyUsed<{ plain: string }>(maxEntries)
  return {
    ...seal,
    open(purpose, sealed) {
      const key = `${purpose}\n${sealed}`
      const known = opened.get(key)
      if (known) return known.plain
      const plain = seal.open(purpose, sealed)
      opened.set(key, { plain })
      return plain
    },
  }
}
