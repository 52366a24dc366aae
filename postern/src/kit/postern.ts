import type { TakeOver } from '../take-over/take-over.ts'
import type { App } from './app.ts'
import type { PosternClock } from './clock.ts'
import type { Deliveries } from './deliveries.ts'
import type { BeginDisorder } from './disorder.ts'
import type { Faults } from './faults.ts'
import type { Inbox } from './inbox.ts'
import type { LogLine } from './log-line.ts'
import type { OperatorApi } from './operator-api.ts'
import type { Requests } from './requests.ts'
import type { Settled } from './settled.ts'
import type { Snapshot } from './snapshots.ts'
import type { Seed } from './start-options.ts'
import type { Trigger } from './trigger.ts'
import type { World, WorldOptions } from './world.ts'

/** A Postern and what a test does with it. Everything is HTTP under `/operator/`, which `api` calls too. */
export interface Postern {
  /** The origin of the general host: `http://127.0.0.1:…`. */
  readonly url: string
  readonly adsUrl: string
  readonly adsSandboxUrl: string
  readonly operatorToken: string
  /** The first app of the seed. */
  readonly app: App
  /** A receiver of the app's webhooks. */
  readonly inbox: Inbox
  readonly faults: Faults
  /** Begins faults of calls and deliveries that a seed draws. `await using` ends them. A test run that fails prints the seed. */
  disorder: BeginDisorder
  readonly clock: PosternClock
  readonly requests: Requests
  /**
   * Leads the hosts that clients have built in (`api.x.com`, `api.twitter.com` and their neighbours) to this Postern, for all connections
   * of this process from now on. Undone when this is disposed, or what it answers. Of several at once the last counts.
   */
  takeOver(): TakeOver
  /** Causes an event of a type, and resolves once it was delivered. */
  trigger: Trigger
  /** Resolves once everything is delivered and done that is under way, without moving the clock. @throws with what is left after a while. */
  settled: Settled
  /** Deliveries with their attempts, newest first. */
  deliveries: Deliveries
  snapshot(): Promise<Snapshot>
  /** Goes back to a snapshot, or to that with this id. @throws with the snapshots that there are. */
  restore(snapshot: Pick<Snapshot, 'id'> | string): Promise<void>
  /** An app of its own with users and data. `await using` deletes it. */
  world(options?: WorldOptions): Promise<World>
  /** Back to the seed: deletes everything else and sets the clock right. */
  reset(): Promise<void>
  /** Loads apps, users, posts and whatever else a seed has. Its users and tokens are known here until a reset. */
  load(seed: Seed): Promise<void>
  /** Calls operator endpoints that have no function here. */
  readonly api: OperatorApi
  /** What `JSON.stringify` prints: where it is and its app, without secrets. */
  toJSON(): object
}

/** A Postern in this process. */
export interface StartedPostern extends Postern, AsyncDisposable {
  /** The latest log lines. */
  readonly log: readonly LogLine[]
  /** Stops it, as `await using` does. */
  stop(): Promise<void>
}
