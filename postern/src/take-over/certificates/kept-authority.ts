import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, linkSync, openSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makePrivateFolder } from '../../../../server/src/lib/private-folder.ts'
import { type Certificate, isAuthorityFor, makeAuthority } from './authority.ts'

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

/** The bits of a mode that are not its owner's. */
const OF_OTHERS = 0o077

const BEGINS = '-----BEGIN '

/** The certificate and the key in a file, whatever comes first. */
function parse(text: string): Certificate {
  const blocks = text.split(BEGINS).map((block) => BEGINS + block)
  const ofKind = (kind: string) => blocks.find((block) => block.startsWith(`${BEGINS}${kind}-----`)) ?? ''
  return { cert: ofKind('CERTIFICATE'), key: ofKind('PRIVATE KEY') }
}

/** Whether a file is this user's own, and nobody else can read or change it. Windows has neither. */
function isOwn({ uid, mode }: Stats): boolean {
  const user = process.getuid?.()
  return user === undefined || (uid === user && (mode & OF_OTHERS) === 0)
}

/** The text of a file, and whether it is this user's own. */
function readFile(path: string): { text: string; isOwn: boolean } | undefined {
  try {
    const file = openSync(path, 'r')
    try {
      return { isOwn: isOwn(fstatSync(file)), text: readFileSync(file, 'utf8') }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The authority that is kept; `unusable` when there is a file that was not made here, by this user and for these hosts. */
function read(path: string, hosts: readonly string[]): Certificate | 'unusable' | undefined {
  const file = readFile(path)
  if (!file) return undefined
  try {
    const kept = parse(file.text)
    return file.isOwn && isAuthorityFor(hosts, kept) ? kept : 'unusable'
  } catch {
    return 'unusable'
  }
}

/** Writes the file whole, readable by its owner alone. Of two processes at once the first wins; one that is of no use is replaced. */
function write(path: string, { cert, key }: Certificate, replaces: boolean): void {
  makePrivateFolder(dirname(path))
  const temporary = `${path}.${randomUUID()}.new`
  try {
    writeFileSync(temporary, cert + key, { mode: 0o600, flag: 'wx', flush: true })
    if (replaces) renameSync(temporary, path)
    else linkSync(temporary, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

/**
 * The authority in a file, made at the first call and anew when what is there was not made for these hosts, or by another user, or others can
 * read it. Its key can sign for these hosts alone. It is kept so that a browser or a container which trusts it goes on to do so.
 */
export function keptAuthority(path: string, hosts: readonly string[]): Certificate {
  const sorted = hosts.toSorted()
  const kept = read(path, sorted)
  if (kept && kept !== 'unusable') return kept
  const made = makeAuthority(sorted)
  write(path, made, kept !== undefined)
  const written = read(path, sorted)
  return written && written !== 'unusable' ? written : made
}
