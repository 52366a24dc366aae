import type { EndedState } from './event-log.ts'

/**
 * running → complete | incomplete | cancelled
 *
 * `incomplete`: an unexpected error ended it, which the log has. `cancelled`: an operator did.
 */
export type ResendState = 'running' | 'complete' | 'incomplete' | 'cancelled'

/** A job that sends deliveries of every webhook again: those that ended in one of some states, of events accepted in [fromMs, toMs). */
export interface ResendJob {
  id: string
  /** Only to webhooks of this app. */
  appId: string | null
  /** Only of events of this type. */
  eventType: string | null
  states: readonly EndedState[]
  fromMs: number
  toMs: number
  state: ResendState
  /** Where it goes on; null at the beginning. */
  place: string | null
  resent: number
  /** Deliveries that match, of webhooks that may receive nothing. */
  refused: number
  createdAtMs: number
  finishedAtMs: number | null
}

export type ResendProgress = Pick<ResendJob, 'place' | 'resent' | 'refused'>

export interface ResendJobStore {
  byId(id: string): Promise<ResendJob | undefined>
  /** Newest first: those whose id sorts before `before`, as a text. */
  list(before: string | null, limit: number): Promise<ResendJob[]>
  /** Returns false while another job runs: there is at most one. */
  create(job: ResendJob): Promise<boolean>
  /** Whether a job runs, in any process. */
  areOpen(): Promise<boolean>
  /** Claims the running job if no other live process has it, and this one does not run it. */
  claim(worker: number, livingWorkers: readonly number[], running: readonly string[]): Promise<ResendJob[]>
  /** Records progress of the running job. Returns false if it was cancelled or another worker has claimed it. */
  progress(worker: number, id: string, progress: ResendProgress): Promise<boolean>
  /** Ends the running job. Returns false if it is no longer running or another worker has claimed it. */
  finish(worker: number, id: string, state: 'complete' | 'incomplete', progress: ResendProgress, atMs: number): Promise<boolean>
  /** Ends the running job, whichever process has it. Returns false if it is not running. */
  cancel(id: string, atMs: number): Promise<boolean>
}
