import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { randomAlphanumeric } from './lib/crypto.ts'
import { makePrivateFolder } from './lib/private-folder.ts'
import { LEAST_SECRET_CHARACTERS } from './settings/setting-readers.ts'

const LENGTH = 43

/** What a file system without hard links answers. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? ''

/** Windows knows no such thing, and needs none. */
function syncFolder(path: string) {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Gives `temporary` the name `path` unless something has it: of two starts at once the first one wins. */
function publish(temporary: string, path: string) {
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (NO_LINKS.has(codeOf(error))) renameSync(temporary, path)
    else if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Writes the whole of a new file, or nothing: a full disk or a crash leaves no file with less in it. */
function writeWhole(path: string, text: string) {
  makePrivateFolder(dirname(path))
  const temporary = `${path}.${randomBytes(4).toString('hex')}.new`
  try {
    writeFileSync(temporary, text, { mode: 0o600, flush: true })
    publish(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
  syncFolder(dirname(path))
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * The secret in a file, made up at the first call; only its owner can read it. For development.
 * @throws when the file holds less than a secret: another in its place would not open what the former one has sealed.
 */
export function developmentSecrets(path: string): string {
  if (read(path) === undefined) writeWhole(path, `${randomAlphanumeric(LENGTH)}\n`)
  const secret = read(path) ?? ''
  if (secret.length < LEAST_SECRET_CHARACTERS)
    throw new Error(
      `${path} has ${secret.length} characters, but a secret needs at least ${LEAST_SECRET_CHARACTERS}: put back the former secret. If there is none to keep, delete the file to get a new one; what the database sealed with another secret cannot be opened with it`,
    )
  return secret
}
