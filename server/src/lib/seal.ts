import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const IV_BYTES = 12
const TAG_BYTES = 16

/** Encryption at rest. Each purpose (a table and column) has a key of its own, so that a sealed value cannot be moved to another place. */
export interface Seal {
  seal(purpose: string, plain: string): string
  /** Throws when no key opens it: it was sealed with another `POSTERN_SECRET` or tampered with. */
  open(purpose: string, sealed: string): string
}

/** AES-256-GCM under keys derived from `secrets`: the first seals, all open. */
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

  const open = (purpose: string, sealed: string) => {
    const bytes = Buffer.from(sealed, 'base64')
    for (const secret of secrets) {
      try {
        return openWith(secret, purpose, bytes)
      } catch {}
    }
    throw new Error(`a sealed ${purpose} cannot be opened: POSTERN_SECRET is not the one it was sealed with`)
  }

  return { seal, open }
}
