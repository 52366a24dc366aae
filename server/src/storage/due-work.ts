/** The tables with work that is due at a time. */
export type WorkQueue = 'product_sets' | 'product_catalogs' | 'scheduled_feeds' | 'image_checks' | 'uploads' | 'scheduled_posts' | 'outbox'

/**
 * A claim on one piece of work: it is this process's until `untilMs`, which `renew` moves on. A claim that ended may have been taken by another
 * process.
 */
export interface Claim {
  id: string
  untilMs: number
}

/** Work that is due at a time, in the database: one process of those that share it claims each piece. */
export interface DueWork {
  /**
   * Claims up to `limit` pieces that are due, until `untilMs`, except these. A process that dies leaves them to others from then on.
   */
  claim(nowMs: number, untilMs: number, limit: number, except: readonly string[]): Promise<Claim[]>
  /** Prolongs this very claim, so that all who have it can renew and end it. Returns undefined if it has been lost. */
  renew(claim: Claim, untilMs: number): Promise<Claim | undefined>
  /** When the next piece except these is due, in milliseconds since 1970; a claimed one when its claim ends. */
  nextDueMs(except: readonly string[]): Promise<number | undefined>
}
