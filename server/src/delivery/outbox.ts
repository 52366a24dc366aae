import type { Logger } from 'pino'
import type { UnmatchedEvent } from '../api/declare/raw-request.ts'
import type { Ids } from '../lib/ids.ts'
import { readExactJson, writeExactJson } from '../lib/numbers.ts'
import { SECOND_MS } from '../lib/time.ts'
import type { Content, ContentTransaction } from '../storage/content.ts'
import type { Claim } from '../storage/due-work.ts'
import type { OutboxEvent, OutboxStore } from '../storage/outbox.ts'
import type { Subscription, SubscriptionStore } from '../storage/subscriptions.ts'
import { logUnlessUnavailable } from '../storage/unavailable.ts'
import { askedEvents, withConsent } from './consent.ts'
import type { PublishedEvent, Publisher } from './publish.ts'

/** For so long an event belongs to the process whose action it is of, or which has claimed it. */
export const CLAIM_MS = 10 * SECOND_MS

/** Events that are being published at the same time. More stay in the outbox until their claims end. */
const MOST_AT_ONCE = 1000

/** What an event is about: its type in the canonical spelling, and the user. */
export interface Subject {
  eventType: string
  userId: string
}

/** What an event says besides. */
export type ActionEvent = Pick<PublishedEvent, 'payload' | 'includes' | 'text' | 'direction'>

/** An event that an action may have. */
export interface Announcement extends Subject {
  /** What the event says, read within the transaction of the action; undefined if there is no event. Called only if somebody has subscribed. */
  say(transaction: ContentTransaction): Promise<ActionEvent | undefined>
}

/** Unmatched events of one action that are looked for. */
const MOST_UNMATCHED = 20

/** Announces events of the transaction that runs, in this order. */
export type Announce = (announcements: readonly Announcement[]) => Promise<void>

/**
 * Publishes events of actions: never an event without its action, and never an action without its event.
 *
 *   write    the transaction of the action adds the event to the table `outbox`, with the `event_uuid` that it keeps
 *   publish  once it is committed, this process publishes the event like that of a producer, and removes it from the table
 *   recover  if the process dies or the log cannot be written, the claim on the row ends, and any process does the same
 *
 * Publishing twice changes nothing, because the `event_uuid` is the same.
 */
export interface Outbox {
  /**
   * Runs a transaction on data objects that may announce events about these subjects. A subscription that was answered before the call gets
   * them. Without any, nothing is written. Events of one action are published together.
   */
  change<T>(subjects: readonly Subject[], run: (transaction: ContentTransaction, announce: Announce) => Promise<T>): Promise<T>
  /**
   * Announces events of an action that stores nothing. `check` throws if they may not be announced; it runs in the transaction that announces.
   * If nobody has subscribed to them, there is none.
   */
  announce(announcements: readonly Announcement[], check: (transaction: ContentTransaction) => Promise<void>): Promise<void>
  /** Publishes an event that was left in the outbox. */
  publishClaimed(claim: Claim): Promise<void>
  /** Resolves once nothing is being published. */
  settled(): Promise<void>
}

export interface OutboxOptions {
  content: Pick<Content, 'change'>
  events: OutboxStore
  subscriptions: Pick<SubscriptionStore, 'candidates'>
  publisher: Publisher
  ids: Pick<Ids, 'nextEventUuid'>
  now: () => number
  logger: Logger
  /** Called when events were left in the outbox: somebody has to look when their claims end. */
  left: () => void
  /** Called once an action is done, with the events that it would have had, in order. Without it nobody looks for them. */
  unmatched?: (events: readonly UnmatchedEvent[]) => void
}

const keyOf = ({ eventType, userId }: Subject) => `${eventType} ${userId}`

/** The subjects that somebody has subscribed to, and the subscriptions that do not count because consent is missing. */
interface Interest {
  wanted: ReadonlySet<string>
  withoutConsent: readonly Subscription[]
}

const NOBODY: Interest = { wanted: new Set(), withoutConsent: [] }

const isAbout = ({ eventType, userId }: Subject, { eventType: type, filter }: Subscription) =>
  type === eventType && (filter.userId ?? userId) === userId

/** The same subject with the subscriptions to it that do not count. */
const unmatchedOf = <Event extends Subject>(event: Event, { withoutConsent }: Interest) => ({
  ...event,
  withoutConsent: withoutConsent.filter((subscription) => isAbout(event, subscription)).map(({ id }) => id),
})

const publishedOf = ({ eventUuid, eventType, userId, body }: OutboxEvent): PublishedEvent => ({
  ...(readExactJson(body) as ActionEvent),
  eventUuid,
  eventType,
  userId,
})

/** Returns a function that finds which of some subjects somebody has subscribed to. */
function createInterest({ subscriptions, now }: Pick<OutboxOptions, 'subscriptions' | 'now'>) {
  return async (subjects: readonly Subject[]): Promise<Interest> => {
    if (subjects.length === 0) return NOBODY
    const found = await subscriptions.candidates(askedEvents(subjects))
    if (found.length === 0) return NOBODY
    const candidates = withConsent(found, now())
    const counting = new Set(candidates)
    const withoutConsent = found.filter((candidate) => !counting.has(candidate)).map(({ subscription }) => subscription)
    const filters = new Set(candidates.map(({ subscription: { eventType, filter } }) => keyOf({ eventType, userId: filter.userId ?? '' })))
    const isWanted = ({ eventType, userId }: Subject) =>
      filters.has(keyOf({ eventType, userId })) || filters.has(keyOf({ eventType, userId: '' }))
    return { wanted: new Set(subjects.filter(isWanted).map(keyOf)), withoutConsent }
  }
}

export function createOutbox({ content, events, subscriptions, publisher, ids, now, logger, left, unmatched }: OutboxOptions): Outbox {
  const publishing = new Set<Promise<void>>()
  const interestIn = createInterest({ subscriptions, now })
  let open = 0

  const publish = async (written: readonly OutboxEvent[]) => {
    await publisher.publish(written.map(publishedOf))
    await events.remove(written.map(({ eventUuid }) => eventUuid))
  }

  /** Publishes what was just committed; who acted does not wait for it. */
  const publishNow = (written: readonly OutboxEvent[]) => {
    if (written.length === 0) return
    if (open + written.length > MOST_AT_ONCE) return left()
    open += written.length
    const done = publish(written)
      .catch((error) => {
        logUnlessUnavailable(logger, error, 'could not publish events of actions; they stay in the outbox')
        left()
      })
      .finally(() => {
        open -= written.length
        publishing.delete(done)
      })
    publishing.add(done)
  }

  /** Runs a transaction that announces those of its events that somebody is interested in. */
  const announcing = async <T>(
    interest: Interest,
    run: (transaction: ContentTransaction, announce: Announce) => Promise<T>,
  ): Promise<T> => {
    const written: OutboxEvent[] = []
    const missed: UnmatchedEvent[] = []
    const isLookedFor = (event: Subject) => interest.wanted.has(keyOf(event)) || (unmatched !== undefined && missed.length < MOST_UNMATCHED)
    const inTransaction = (transaction: ContentTransaction) =>
      run(transaction, async (announcements) => {
        for (const { eventType, userId, say } of announcements) {
          const said = isLookedFor({ eventType, userId }) ? await say(transaction) : undefined
          if (!said) continue
          if (!interest.wanted.has(keyOf({ eventType, userId }))) {
            missed.push(unmatchedOf({ eventType, userId, text: said.text, direction: said.direction }, interest))
            continue
          }
          const event = { eventUuid: ids.nextEventUuid(), eventType, userId, body: writeExactJson(said) }
          await transaction.addEvent(event, now() + CLAIM_MS)
          written.push(event)
        }
      })
    const result = await content.change(inTransaction).catch((error) => {
      // It may have been committed nevertheless: the connection may have been lost after that.
      if (written.length > 0) left()
      throw error
    })
    publishNow(written)
    if (missed.length > 0) unmatched?.(missed)
    return result
  }

  return {
    async change(subjects, run) {
      const interest = await interestIn(subjects)
      const isNobodys = interest.wanted.size === 0 && unmatched === undefined
      return isNobodys ? content.change((transaction) => run(transaction, async () => {})) : announcing(interest, run)
    },
    async announce(announcements, check) {
      const interest = await interestIn(announcements)
      if (interest.wanted.size === 0)
        return unmatched?.(
          announcements.slice(0, MOST_UNMATCHED).map(({ eventType, userId }) => unmatchedOf({ eventType, userId }, interest)),
        )
      await announcing(interest, async (transaction, announce) => {
        await check(transaction)
        await announce(announcements)
      })
    },
    async publishClaimed(claim) {
      const event = await events.get(claim)
      if (event) await publish([event])
    },
    async settled() {
      await Promise.all(publishing)
    },
  }
}
