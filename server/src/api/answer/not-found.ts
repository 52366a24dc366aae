import { ADS_VERSION } from '../declare/area-names.ts'
import { coded, Problem } from '../declare/problem.ts'

/** Why a host has no endpoint at a path. */
export type NotFound = (path: string) => Problem

export const nothingAt: NotFound = (path) =>
  new Problem('not-found', { detail: `No endpoint has this path on this host: ${path.slice(0, 200)}` })

export const pageDoesNotExist: NotFound = () => coded(34)

/** An advertising host says first whether it serves the version at all (§9); `/2/` is the general host's. */
export const nothingOnAds: NotFound = (path) => {
  const version = /^\/(?!2\/)(\d{1,3})(?:\/|$)/.exec(path)?.[1]
  if (version === undefined || version === ADS_VERSION) return nothingAt(path)
  return new Problem('forbidden', { errors: [{ code: 'INVALID', message: `Version ${version} is not available.` }] })
}
