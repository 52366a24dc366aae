import { type Chunk, chunkOfText, type Outlet, type OutletListener } from '../../api/declare/endless-answer.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import { randomUrlText } from '../../lib/crypto.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { FeedChannel } from '../../storage/feed-channel.ts'
import { createFleet } from './fleet.ts'
import { createGathering } from './gathering.ts'
import { createPast } from './past.ts'
import type { Update } from './updates.ts'

/** The past is kept so long after the last feed has ended, for a page that is loaded again. */
const LINGER_MS = 30 * SECOND_MS

/** So often something is sent, so that neither a proxy nor the page takes the connection for dead. */
const KEEP_ALIVE_MS = 15 * SECOND_MS

/** A client with so many unread bytes is told nothing until it has read them; then it begins anew. */
const MOST_WAITING_BYTES = 128 * 1024

/** Feeds of one process. A browser has one, whatever the number of its tabs. */
export const MOST_FEEDS = 64

interface Feed {
  outlet: Outlet
  hasFallenBehind: boolean
}

/** The live feed of operators: what the processes of the database accept and send, and what this one answers. */
export interface OperatorFeed {
  /** Whether somebody listens, at this process or another. Nothing else is done for an update while nobody does. */
  isWatched(): boolean
  /** Tells of something that has happened. `make` is called only if it is told. */
  tell(make: () => Update): void
  /** Whether it tells what all processes do: not while this one has lost its session. */
  coversAll(): boolean
  /** Tells everybody to read anew, because the data were replaced. */
  replaced(): void
  /** Opens a feed after the position that a client has come to; undefined if there are too many. */
  open(after: string | undefined): ((outlet: Outlet, hello: object) => OutletListener) | undefined
  /** Ends all feeds. */
  stop(): void
}

const messageOf = (event: string, data: object, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

const KEEP_ALIVE = chunkOfText(':\n\n')
const LAST = chunkOfText(': the server stops\n\n')

/** Ends a feed that is attached too late. */
function ended(outlet: Outlet): OutletListener {
  outlet.end(LAST)
  return { drained() {}, closed() {} }
}

/** Those who listen. `emptied` is called when the last of them has left. */
function createListeners(clock: Clock, emptied: () => void) {
  const feeds = new Set<Feed>()
  let keepAlive: Timer | undefined

  const write = (feed: Feed, chunk: Chunk) => {
    if (feed.hasFallenBehind) return
    if (feed.outlet.waitingBytes() > MOST_WAITING_BYTES) feed.hasFallenBehind = true
    else feed.outlet.write(chunk)
  }

  const writeAll = (chunk: Chunk) => {
    for (const feed of feeds) write(feed, chunk)
  }

  const beat = () => {
    const next = () => {
      writeAll(KEEP_ALIVE)
      beat()
    }
    keepAlive = clock.after(KEEP_ALIVE_MS, next, { isUpkeep: true })
  }

  return {
    count: () => feeds.size,
    writeAll,
    add(feed: Feed) {
      feeds.add(feed)
      if (feeds.size === 1) beat()
    },
    remove(feed: Feed) {
      if (!feeds.delete(feed) || feeds.size > 0) return
      keepAlive?.cancel()
      emptied()
    },
    endAll() {
      keepAlive?.cancel()
      for (const { outlet } of feeds) outlet.end(LAST)
    },
  }
}

/**
 * A feed is server-sent events: `hello`, then `updates` with an id, which is the position. A client that comes back with the last id gets
 * what it has missed; where that is gone, and where a client reads too slowly, `resync` says that it must read the lists again. `channel`
 * leads to the other processes of the database.
 */
export function createOperatorFeed(clock: Clock, channel?: FeedChannel): OperatorFeed {
  /** Positions of another process, or of one before the restart, mean nothing here. */
  const epoch = randomUrlText(6)
  const past = createPast()
  let position = 0
  let linger: Timer | undefined
  let isStopped = false

  const idOf = () => `${epoch}.${position}`
  const resync = () => chunkOfText(messageOf('resync', {}, idOf()))
  const endLinger = () => {
    linger?.cancel()
    linger = undefined
  }

  const listeners = createListeners(clock, () => {
    const forget = () => {
      linger = undefined
      fleet?.unwatch()
      past.clear()
    }
    if (!isStopped) linger = clock.after(LINGER_MS, forget, { isUpkeep: true })
  })
  const isWatchedHere = () => listeners.count() > 0 || linger !== undefined

  const sendAll = (event: string, data: object) => {
    position += 1
    const chunk = chunkOfText(messageOf(event, data, idOf()))
    past.add({ position, chunk })
    listeners.writeAll(chunk)
  }
  const gathering = createGathering(clock, (updates, skipped) => sendAll('updates', { updates, ...(skipped > 0 && { skipped }) }))

  const replaced = () => {
    if (isWatchedHere()) sendAll('resync', {})
  }

  const fleet =
    channel &&
    createFleet(channel, clock, {
      updates: (updates, skipped) => isWatchedHere() && gathering.addAll(updates, skipped),
      resync: replaced,
    })

  /** What a client that comes back has missed. */
  const missedAfter = (after: string): readonly Chunk[] => {
    const [of, at] = after.split('.')
    return (of === epoch ? past.after(Number(at), position) : undefined) ?? [resync()]
  }

  return {
    isWatched: () => isWatchedHere() || (fleet?.isWatched() ?? false),
    coversAll: () => fleet?.isConnected() ?? true,
    tell(make) {
      if (isWatchedHere()) gathering.add(make)
      fleet?.tell(make)
    },
    replaced() {
      replaced()
      fleet?.replaced()
    },
    open(after) {
      if (isStopped || listeners.count() >= MOST_FEEDS) return undefined
      return (outlet, hello) => {
        if (isStopped) return ended(outlet)
        const feed: Feed = { outlet, hasFallenBehind: false }
        // Who begins reads the lists after this, so that nothing is lost between.
        outlet.write(chunkOfText(`retry: 1000\n${messageOf('hello', hello, after === undefined ? idOf() : undefined)}`))
        for (const chunk of after === undefined ? [] : missedAfter(after)) outlet.write(chunk)
        endLinger()
        listeners.add(feed)
        fleet?.watch()
        return {
          drained() {
            if (!feed.hasFallenBehind) return
            feed.hasFallenBehind = false
            outlet.write(resync())
          },
          closed: () => listeners.remove(feed),
        }
      }
    },
    stop() {
      if (isStopped) return
      isStopped = true
      gathering.stop()
      fleet?.stop()
      endLinger()
      listeners.endAll()
    },
  }
}
