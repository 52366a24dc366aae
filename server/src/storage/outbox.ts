import type { Claim, DueWork } from './due-work.ts'

/** An event of an action, as the transaction of the action wrote it. */
export interface OutboxEvent {
  /** Fixed with the action, so that publishing the event again changes nothing. */
  eventUuid: string
  eventType: string
  /** The user the event is about. */
  userId: string
  /** The event without these members, as JSON. */
  body: string
}

/** Events whose actions are committed and which are not published yet (`ContentTransaction.addEvent` adds them). One process claims each. */
export interface OutboxStore extends DueWork {
  /** The event of a claim; undefined if it was published meanwhile. */
  get(claim: Claim): Promise<OutboxEvent | undefined>
  /** Events that are published need not survive a power failure: publishing them again changes nothing. */
  remove(eventUuids: readonly string[]): Promise<void>
}
