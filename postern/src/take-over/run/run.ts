import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { type Certificate, makeAuthority } from '../certificates/authority.ts'
import { keptAuthority } from '../certificates/kept-authority.ts'
import { everybody, whoKnows } from '../front/admission.ts'
import { startFront } from '../front/front.ts'
import { environmentOf } from './environment.ts'
import type { FoundPostern } from './find-postern.ts'
import { proxyBeforeOf } from './proxy-before.ts'
import { codeOf, runChild } from './run-child.ts'

export interface RunOptions {
  postern: FoundPostern
  command: readonly [string, ...string[]]
  environment: Record<string, string | undefined>
  /** The folder with the authority that is made once. */
  folder: string
  /** Leaves sign-in links as the program prints them. */
  keepLinks: boolean
  /** The port of the front; any free one when it is 0. */
  port: number
}

/** Where a folder cannot be written, an authority for this run alone does. */
function authorityIn(folder: string, hosts: readonly string[]): Certificate {
  try {
    return keptAuthority(resolve(folder, 'ca.pem'), hosts)
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return makeAuthority(hosts)
  }
}

/** Runs a program whose calls of the taken-over hosts lead to a Postern; answers its exit code. Rejects when it cannot be started. */
export async function runTakenOver({ postern, command, environment, folder, keepLinks, port }: RunOptions): Promise<number> {
  const hosts = Object.keys(postern.hosts)
  const authority = authorityIn(folder, hosts)
  const password = randomBytes(16).toString('hex')
  // Who names a port gives it to clients by hand. Of these Java sends no credentials to a proxy.
  const admission = port === 0 ? whoKnows(password) : everybody
  await using front = await startFront({ hosts: postern.hosts, authority, port, proxyBefore: proxyBeforeOf(environment), admission })
  const pages = keepLinks ? undefined : postern.url
  using led = environmentOf(environment, { hosts, port: front.port, password, ca: authority.cert, pages })
  const [program, ...words] = command
  return codeOf(await runChild(program, words, { environment: led.variables, pages }))
}
