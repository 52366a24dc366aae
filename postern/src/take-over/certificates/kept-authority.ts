import { X509Certificate } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Certificate, makeAuthority } from './authority.ts'

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

const BEGINS = '-----BEGIN '

/** The certificate and the key in a file, whatever comes first. */
function parse(text: string): Certificate {
  const blocks = text.split(BEGINS).map((block) => BEGINS + block)
  const ofKind = (kind: string) => blocks.find((block) => block.startsWith(`${BEGINS}${kind}-----`)) ?? ''
  return { cert: ofKind('CERTIFICATE'), key: ofKind('PRIVATE KEY') }
}

function read(path: string): Certificate | undefined {
  try {
    return parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Whether it is still valid for a day, and can be parsed at all. */
function isUsable({ cert }: Certificate): boolean {
  try {
    return Date.parse(new X509Certificate(cert).validTo) > Date.now() + 86_400_000
  } catch {
    return false
  }
}

/** Writes the file whole, readable by its owner alone. Of two processes at once the first wins; one that is of no use is replaced. */
function write(path: string, { cert, key }: Certificate, replaces: boolean): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}.new`
  try {
    writeFileSync(temporary, cert + key, { mode: 0o600, flush: true })
    if (replaces) renameSync(temporary, path)
    else linkSync(temporary, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

/**
 * The authority in a file, made at the first call. Its key can sign for these hosts alone, and only the owner of the file can read it. It
 * is kept so that a browser or a container which trusts it goes on to do so.
 */
export function keptAuthority(path: string, hosts: readonly string[]): Certificate {
  const kept = read(path)
  if (kept && isUsable(kept)) return kept
  write(path, makeAuthority(hosts), kept !== undefined)
  return read(path)!
}
