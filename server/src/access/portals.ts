import { randomUrlText, sha256Hex } from '../lib/crypto.ts'
import { type Seal, SealError } from '../lib/seal.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts'
import type { App, AppStore } from '../storage/apps.ts'
import type { NonceStore } from '../storage/nonces.ts'

/** Whose portal a link or a session opens. It opens nothing once the app is suspended, deleted, or has another generation. */
export interface PortalClaim {
  app: string
  generation: number
  /** An app that was made anew under the id of a deleted one is another. */
  createdAtMs: number
  untilMs: number
}

/** A link that was made. `token` is its secret: it goes into the fragment of an address, which no server is sent. */
export interface PortalLink {
  token: string
  untilMs: number
}

/** The portals of apps: what an operator lets the people of one app see in the console. */
export interface Portals {
  makeLink(app: App): PortalLink
  /** The app whose portal a link opens, for one request, by its id; undefined for a link that was used, has expired or was made of nothing. */
  useLink(token: string, requestId?: number): Promise<App | undefined>
  /** What the session of an app's portal holds. */
  claimOf(app: App): PortalClaim
  /** The app of a session; undefined once the session has ended. */
  appOf(claim: PortalClaim): Promise<App | undefined>
}

interface Options {
  seal: Seal
  apps: Pick<AppStore, 'byId'>
  nonces: NonceStore
  now: () => number
  /** The time of the machine, by which sessions end. */
  machineNow: () => number
}

const LINK_LIFETIME_MS = 10 * MINUTE_MS
export const PORTAL_LIFETIME_MS = 8 * HOUR_MS
const PURPOSE = 'portal.link'
const NONCE_BYTES = 16

const claim = ({ id, portalGeneration, createdAtMs }: App, untilMs: number): PortalClaim => ({
  app: id,
  generation: portalGeneration,
  createdAtMs,
  untilMs,
})

/**
 * A link is sealed, and nothing of it is stored until it is used: then the hash of its nonce is, which all processes share, until the link
 * has expired.
 */
export function createPortals({ seal, apps, nonces, now, machineNow }: Options): Portals {
  const liveApp = async ({ app: id, generation, createdAtMs }: PortalClaim) => {
    const app = await apps.byId(id)
    const isLive = app && !app.suspended && app.portalGeneration === generation && app.createdAtMs === createdAtMs
    return isLive ? app : undefined
  }

  const open = (token: string): (PortalClaim & { nonce: string }) | undefined => {
    try {
      return JSON.parse(seal.open(PURPOSE, token))
    } catch (error) {
      if (error instanceof SealError) return undefined
      throw error
    }
  }

  return {
    makeLink(app) {
      const link = { ...claim(app, now() + LINK_LIFETIME_MS), nonce: randomUrlText(NONCE_BYTES) }
      return { token: Buffer.from(seal.seal(PURPOSE, JSON.stringify(link)), 'base64').toString('base64url'), untilMs: link.untilMs }
    },
    async useLink(token, requestId) {
      const link = open(token)
      if (!link || link.untilMs <= now()) return undefined
      const app = await liveApp(link)
      if (!app) return undefined
      const isFirst = await nonces.accept(`portal ${sha256Hex(link.nonce)}`, link.untilMs, now(), requestId)
      return isFirst ? app : undefined
    },
    claimOf: (app) => claim(app, machineNow() + PORTAL_LIFETIME_MS),
    appOf: async (session) => (session.untilMs > machineNow() ? liveApp(session) : undefined),
  }
}
