import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'

/** The certificates of a file that the user had named; none when it cannot be read. */
function read(path: string | undefined): string {
  try {
    return path ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}

/** The authorities that this machine trusts; those of Node where the system has none that Node can read. */
function ofSystem(): string {
  const system = getCACertificates('system')
  return (system.length > 0 ? system : getCACertificates('bundled')).join('\n')
}

/** A bundle for programs that trust one file and nothing beside it: what they trusted before, and Postern's authority. */
export const bundleWith = (ca: string, before: string | undefined): string => `${read(before) || ofSystem()}\n${ca}`

/** A bundle for programs that trust it beside what they trust anyway. */
export const extraWith = (ca: string, before: string | undefined): string => `${read(before)}\n${ca}`
