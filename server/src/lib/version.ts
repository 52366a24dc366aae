/** The version of Postern: of its packages, and of the database that it migrates to. */
export const VERSION = '0.3.0'

/**
 * The releases whose databases this one may meet, oldest first, the last of them its own. Processes of two that are side by side here can
 * share a database.
 */
export const RELEASES: readonly string[] = ['0.2', '0.3']

/** The release of a version: `0.3` of `0.3.1`. */
export const releaseOf = (version: string): string => version.split('.').slice(0, 2).join('.')

export const RELEASE = RELEASES.at(-1)!
export const FORMER_RELEASE = RELEASES.at(-2)!
