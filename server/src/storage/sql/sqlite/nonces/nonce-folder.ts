import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { keepPrivate } from '../../../files/own-file.ts'
import type { StorageLog } from '../../../storage-log.ts'
import { createNonceFile, KEY_BYTES, type NonceFile, openNonceFile } from './nonce-file.ts'

/** A number as it is printed: two names never mean the same one. */
const FILE_NAME = /^(0|-?[1-9]\d{0,15})$/
const OWNER_ONLY = 0o700

/** The name of a file that is created to see whether one can be. */
const TRIAL = 'trial'

/** The nonces of two minutes, as they were found. */
export interface FoundNonces {
  number: number
  words: Uint32Array
  file: NonceFile
}

/** A folder of files of nonces, each named by a number. All have the same key. */
export interface NonceFolder {
  key: Buffer
  found: readonly FoundNonces[]
  /** Creates a file with these fingerprints, in the place of what has its name. Undefined in memory. */
  create(number: number, words: Uint32Array): NonceFile | undefined
  /** A file that cannot be removed is found again at the next start. */
  remove(number: number): void
  /** Creates a file and removes it again, or throws. */
  tryCreate(): void
}

const newKey = () => randomBytes(KEY_BYTES)

/** For a database in memory. */
export const noFolder = (): NonceFolder => ({ key: newKey(), found: [], create: () => undefined, remove() {}, tryCreate() {} })

/** Creates the folder for its owner only. A link in its place is refused: what it leads to may be anybody's. */
function ownFolder(folder: string, log?: StorageLog) {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY })
  if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} must be a folder, not a link: remove it`)
  keepPrivate(folder, log)
}

/** The newest first. What is neither a file nor a link is left alone. */
function namesIn(folder: string, log?: StorageLog): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })) return []
  ownFolder(folder, log)
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => FILE_NAME.test(entry.name) && (entry.isFile() || entry.isSymbolicLink()))
    .map(({ name }) => name)
    .sort((one, other) => Number(other) - Number(one))
}

const DAMAGED = 'a file of used nonces was damaged and is removed: signed requests that were in it could be sent again'
const FOREIGN = 'a file of used nonces is of another database and is removed'

/**
 * Opens the files that a former process left, without creating the folder. `known` is the key that the database has recorded; before it has,
 * the newest readable file says the key. A file that is damaged, or has another key, is removed with a warning.
 * @throws if a file cannot be opened or removed.
 */
export function openNonceFolder(folder: string, maxRecords: number, known?: Buffer, log?: StorageLog): NonceFolder {
  const found: FoundNonces[] = []
  let key = known
  for (const name of namesIn(folder, log)) {
    const path = join(folder, name)
    const read = openNonceFile(path, name, maxRecords)
    if (read && (!key || key.equals(read.key))) {
      key = read.key
      keepPrivate(path, log)
      found.push({ number: Number(name), words: read.words, file: read.file })
    } else {
      read?.file.close()
      rmSync(path, { force: true })
      log?.warn({ file: path }, read ? FOREIGN : DAMAGED)
    }
  }
  const ownKey = key ?? newKey()
  return {
    key: ownKey,
    found,
    create(number, words) {
      ownFolder(folder, log)
      return createNonceFile(join(folder, `${number}`), `${number}`, ownKey, words)
    },
    remove(number) {
      try {
        rmSync(join(folder, `${number}`), { force: true })
      } catch {}
    },
    tryCreate() {
      ownFolder(folder, log)
      createNonceFile(join(folder, TRIAL), TRIAL, ownKey, new Uint32Array(0)).close()
      rmSync(join(folder, TRIAL))
    },
  }
}
