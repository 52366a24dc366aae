import type { Clock, Timer } from '../../lib/clock.ts'
import { randomUrlText } from '../../lib/crypto.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { type FeedChannel, MOST_MESSAGE_BYTES } from '../../storage/feed-channel.ts'
import { createGathering } from './gathering.ts'
import type { Update } from './updates.ts'

/** Whoever watches says so this often. */
const ANNOUNCE_EVERY_MS = 10 * SECOND_MS

/** The others tell it what they do for this long after that. */
const WATCHED_MS = 30 * SECOND_MS

/**
 * A message between the processes.
 *
 *   asks      a process has started, or messages to it may have been lost: whoever watches says so now
 *   watches   a feed is open at the sender
 *   replaced  the data were replaced
 *   updates   of the sender; `skipped` counts those beyond
 */
interface Message {
  by: string
  is: 'asks' | 'watches' | 'replaced' | 'updates'
  updates?: Update[]
  skipped?: number
}

/** Reads a message. Whoever may connect to the database can send anything: what is no message of ours says nothing. */
function readMessage(text: string): Partial<Message> {
  try {
    const { by, is, updates = [], skipped = 0 } = JSON.parse(text) as Partial<Message>
    const isOurs = typeof by === 'string' && Array.isArray(updates) && Number.isSafeInteger(skipped) && skipped >= 0
    return isOurs && is !== undefined ? { by, is, updates, skipped } : {}
  } catch {
    return {}
  }
}

/** Puts updates, as JSON, into as few messages as hold them. An update that fits into none is counted. */
function messagesOf(by: string, updates: readonly Update[], skipped: number): string[] {
  const groups: string[][] = [[]]
  const overhead = Buffer.byteLength(JSON.stringify({ by, is: 'updates', skipped: Number.MAX_SAFE_INTEGER, updates: [] } satisfies Message))
  let [bytes, left] = [overhead, skipped]
  for (const update of updates) {
    const text = JSON.stringify(update)
    const size = Buffer.byteLength(text) + 1
    if (overhead + size > MOST_MESSAGE_BYTES) left += 1
    else {
      if (bytes + size > MOST_MESSAGE_BYTES) {
        groups.push([])
        bytes = overhead
      }
      groups.at(-1)!.push(text)
      bytes += size
    }
  }
  const begin = `{"by":${JSON.stringify(by)},"is":"updates"`
  return groups.map((group, place) => `${begin},"skipped":${place === 0 ? left : 0},"updates":[${group.join()}]}`)
}

export interface Fleet {
  /** Whether messages arrive now. */
  isConnected(): boolean
  /** Whether a feed is open at another process. */
  isWatched(): boolean
  /** Tells the other processes of something that this one has done. */
  tell(make: () => Update): void
  replaced(): void
  /** From now on feeds are open here; until `unwatch` the others are told so. */
  watch(): void
  unwatch(): void
  stop(): void
}

interface Heard {
  updates(updates: readonly Update[], skipped: number): unknown
  /** Messages may have been missed, or the data were replaced. */
  resync(): void
}

/**
 * What the processes of a database tell each other for the feeds of operators: nothing while no feed is open, and else each at most one
 * statement in 100 ms. A process that watches has a lease of the others' attention, so that one that has died costs them nothing for long.
 */
export function createFleet(channel: FeedChannel, clock: Clock, heard: Heard): Fleet {
  const self = randomUrlText(6)
  let watchedUntilMs = Number.NEGATIVE_INFINITY
  let announcement: Timer | undefined
  /** Updates that could not be sent. */
  let unsent = 0

  const send = (messages: readonly string[], updates = 0) =>
    void channel.send(messages).catch(() => {
      unsent += updates
    })
  const say = (is: Message['is']) => send([JSON.stringify({ by: self, is } satisfies Message)])

  const gathering = createGathering(clock, (updates, skipped) => {
    // The ledger of calls is each process's own: its numbers mean nothing elsewhere.
    const told = updates.filter(({ kind }) => kind !== 'call')
    const more = skipped + unsent
    if (told.length + more === 0) return
    unsent = 0
    send(messagesOf(self, told, more), told.length + more)
  })

  const unwatch = () => {
    announcement?.cancel()
    announcement = undefined
  }
  const announce = () => {
    announcement?.cancel()
    say('watches')
    announcement = clock.after(ANNOUNCE_EVERY_MS, announce, { isUpkeep: true })
  }

  channel.listen({
    notified(text) {
      const { by, is, updates, skipped } = readMessage(text)
      if (by === undefined || by === self) return
      if (is === 'asks' && announcement) announce()
      if (is === 'watches') watchedUntilMs = clock.monotonic() + WATCHED_MS
      if (is === 'replaced') heard.resync()
      if (is === 'updates') heard.updates(updates!, skipped!)
    },
    restored() {
      say('asks')
      if (unsent > 0) gathering.addAll([], unsent)
      unsent = 0
      if (!announcement) return
      announce()
      heard.resync()
    },
  })
  say('asks')

  const isWatched = () => clock.monotonic() < watchedUntilMs
  return {
    isConnected: channel.isConnected,
    isWatched,
    tell(make) {
      if (isWatched()) gathering.add(make)
    },
    replaced() {
      if (isWatched()) say('replaced')
    },
    watch() {
      if (!announcement) announce()
    },
    unwatch,
    stop() {
      gathering.stop()
      unwatch()
    },
  }
}
