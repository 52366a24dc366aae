import type { Claim, DueWork } from './due-work.ts'

/** Checks of the images that products link to: each URL is fetched at most once a day. */
export interface ImageChecks extends DueWork {
  /**
   * Has URLs checked that were not checked within a day. Those beyond the limit of the queue are left out.
   */
  request(urls: readonly string[], nowMs: number): Promise<void>
  /** What is wrong with the images, by URL. A URL without a problem, or not checked yet, is missing. */
  problems(urls: readonly string[]): Promise<Map<string, string>>
  urlOf(claim: Claim): Promise<string | undefined>
  /** Records the result of a check: what is wrong, or null. */
  checked(claim: Claim, problem: string | null, nowMs: number): Promise<void>
}
