import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Where a server in development keeps what it makes, its secrets too, in the folder where it is started. */
const OWN_FOLDER = '.postern'

/**
 * Makes a folder for data or secrets, readable by its owner alone. A new one has a `.gitignore` of all that is in it, or `git add` would
 * take its secrets; so has `.postern`, whoever made it.
 */
export function makePrivateFolder(path: string): void {
  const isNew = mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined
  if (!isNew && basename(path) !== OWN_FOLDER) return
  const ignores = join(path, '.gitignore')
  try {
    writeFileSync(ignores, '*\n', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    // Of a full disk nothing is left. That the folder cannot be written is said by whoever needs it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(ignores, { force: true })
  }
}
