import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const BYTES = 32

/** The secret in a file, made up at the first call; only its owner can read it. For development. */
export function madeOnce(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    const secret = randomBytes(BYTES).toString('base64url')
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' })
    return secret
  }
}
