import type { Claim, DueWork } from './due-work.ts'

/** Checks of the images that products link to: each URL is fetched at most once a day. */
export interface ImageChecks extends DueWork {
  /**
   * Has URLs checked that were not checked within a day. Those beyond the limits of the queue are left out. Of a catalog with many that
   * wait, further ones wait longer, so that its slow hosts do not hold up the images of others.
   */
  request(catalogId: string, urls: readonly string[], nowMs: number): Promise<void>
  /** What is wrong with the images, by URL. A URL without a problem, or not checked yet, is missing. */
  problems(urls: readonly string[]): Promise<Map<string, string>>
  urlOf(claim: Claim): Promise<string | undefined>
  /** Records the result of a check: what is wrong, or null. */
  checked(claim: Claim, problem: string | null, nowMs: number): Promise<void>
}
