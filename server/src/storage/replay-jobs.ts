/**
 * running → complete | incomplete | cancelled
 *
 * A job is `running` until every event of its window was tried. It ends as `incomplete` if an event could not be delivered or the webhook
 * became invalid, and as `cancelled` if the webhook was deleted or an operator cancelled it.
 */
export type ReplayState = 'running' | 'complete' | 'incomplete' | 'cancelled'

/** Who created a replay job: the app of its webhook, or an operator on behalf of the app. */
export type ReplayCreator = 'app' | 'operator'

/** A replay job (§2.2): the events of one webhook from `fromMs` inclusive to `toMs` exclusive, delivered again. */
export interface ReplayJob {
  id: string
  appId: string
  webhookId: string
  fromMs: number
  toMs: number
  state: ReplayState
  /** All events of the window up to and including this sequence number have been tried. */
  position: number
  delivered: number
  failed: number
  createdBy: ReplayCreator
  createdAtMs: number
  finishedAtMs: number | null
  /** True once the signed `replay_job_status` event was sent or given up. */
  reported: boolean
}

export type ReplayProgress = Pick<ReplayJob, 'position' | 'delivered' | 'failed'>

export interface ReplayJobStore {
  byId(id: string): Promise<ReplayJob | undefined>
  /** The jobs of all apps, or of one, newest first: those whose id sorts before `before`, as a text. */
  list(before: string | null, limit: number, appId?: string): Promise<ReplayJob[]>
  /** `conflict` while another job of the webhook runs; `no-webhook` if the webhook does not exist. */
  create(job: ReplayJob): Promise<'created' | 'conflict' | 'no-webhook'>
  /** Whether there are unfinished jobs, of any process. */
  areOpen(): Promise<boolean>
  /** Claims the unfinished jobs (running, or ended and not yet reported) that no other live process has, without those that this one runs. */
  claim(worker: number, livingWorkers: readonly number[], running: readonly string[]): Promise<ReplayJob[]>
  /** Records progress of a running job. Returns false if it was cancelled or another worker has claimed it. */
  progress(worker: number, id: string, progress: ReplayProgress): Promise<boolean>
  /** Ends a running job. Returns false if it is no longer running or another worker has claimed it. */
  finish(worker: number, id: string, state: 'complete' | 'incomplete', progress: ReplayProgress, atMs: number): Promise<boolean>
  /** Ends a running job, whichever process has it; nothing is reported to its callback. Returns false if it is not running. */
  cancel(id: string, atMs: number): Promise<boolean>
  setReported(id: string): Promise<void>
}
