import type { AttemptListener } from '../../delivery/dispatcher.ts'
import type { SignedPost } from '../../delivery/signed-request.ts'
import type { Faults } from '../faults/faults.ts'

/** One event for one webhook. */
interface Delivered {
  eventUuid: string
  webhookId: string
}

/** The attempts that end from the beginning of a watch on. */
export interface Watch {
  /** Resolves once an attempt of a delivery has ended, or a fault holds it back: with a sentence that says which. */
  attempted(delivery: Delivered): Promise<string | undefined>
  close(): void
}

/** Tells when deliveries were attempted. */
export interface FirstAttempts {
  listen(listener: AttemptListener): AttemptListener
  /** The same sending, which tells of deliveries that a fault holds back. */
  watchPost(post: SignedPost): SignedPost
  watch(): Watch
}

/** The latest that a watch remembers: others publish beside it. */
const MOST_REMEMBERED = 10_000

const keyOf = ({ eventUuid, webhookId }: Delivered) => `${eventUuid} ${webhookId}`

interface OpenWatch extends Watch {
  tell(key: string, held: string | undefined): void
}

function createWatch(close: (watch: OpenWatch) => void): OpenWatch {
  const seen = new Map<string, string | undefined>()
  const waiting = new Map<string, (held: string | undefined) => void>()
  const watch: OpenWatch = {
    tell(key, held) {
      seen.set(key, held)
      if (seen.size > MOST_REMEMBERED) seen.delete(seen.keys().next().value!)
      waiting.get(key)?.(held)
    },
    attempted(delivery) {
      const key = keyOf(delivery)
      return seen.has(key) ? Promise.resolve(seen.get(key)) : new Promise((resolve) => void waiting.set(key, resolve))
    },
    close: () => close(watch),
  }
  return watch
}

export function createFirstAttempts(faults: Pick<Faults, 'hitting'>): FirstAttempts {
  const watches = new Set<OpenWatch>()
  const tell = (delivery: Delivered, held?: string) => {
    for (const watch of watches) watch.tell(keyOf(delivery), held)
  }
  return {
    listen: (listener) => (attempt, kind, isLast, about) => {
      listener(attempt, kind, isLast, about)
      if (kind !== 'replay') tell(about.delivery)
    },
    watchPost: (post) => (destination, body, event) => {
      const sending = post(destination, body, event)
      if (!event || watches.size === 0) return sending
      const { webhookId } = destination
      const { eventUuid } = event
      // Its faults are known as soon as the sending has begun.
      const holding = faults.hitting(eventUuid, webhookId).find(({ effect }) => effect.kind === 'delay' || effect.kind === 'reorder')
      if (holding) tell({ eventUuid, webhookId }, `fault ${holding.id} (${holding.effect.kind}) holds it back`)
      return sending
    },
    watch() {
      const watch = createWatch((one) => void watches.delete(one))
      watches.add(watch)
      return watch
    },
  }
}
