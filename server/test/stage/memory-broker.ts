import type { EventSource, SourceMessage } from '../../src/delivery/broker/event-source.ts'
import type { Clock } from '../../src/lib/clock.ts'

interface Stored extends Pick<SourceMessage, 'sequence' | 'producerId' | 'body'> {
  deliveries: number
}

/** So many messages are pulled at once, as by a real source. */
const PULLED = 100

export interface MemoryBroker {
  send(messages: readonly { body: string | Uint8Array; id?: string }[]): void
  /** A source of a process; all share what is here. */
  source(): EventSource
  /** Messages that are not settled, by sequence. */
  unsettled(): number[]
  pending(): number
}

/** A broker in memory, for tests of what is done with its messages: it has the rules of the port and no network. */
export function createMemoryBroker(clock: Clock): MemoryBroker {
  /** Never delivered, then those that were given back, which come first. */
  const fresh: Stored[] = []
  const again: Stored[] = []
  const unsettled = new Map<number, Stored>()
  let sequence = 0
  let changed = Promise.withResolvers<void>()
  const change = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  const messageOf = (stored: Stored): SourceMessage => {
    let isSettled = false
    const settle = (then: () => void = () => {}) => {
      if (isSettled) return
      isSettled = true
      unsettled.delete(stored.sequence)
      then()
    }
    const back = () => {
      again.push(stored)
      change()
    }
    return {
      stream: 'EVENTS',
      streamLife: 'EVENTS 1',
      subject: 'events.test',
      sequence: stored.sequence,
      producerId: stored.producerId,
      body: stored.body,
      receivedAtMs: clock.now(),
      deliveries: stored.deliveries,
      accept: () => settle(),
      discard: () => settle(),
      giveBack: (delayMs) => settle(() => (delayMs === 0 ? back() : void clock.after(delayMs, back))),
    }
  }

  const pull = (): SourceMessage[] => {
    const found = [...again.splice(0, PULLED)]
    found.push(...fresh.splice(0, PULLED - found.length))
    return found.map((stored) => {
      stored.deliveries += 1
      unsettled.set(stored.sequence, stored)
      return messageOf(stored)
    })
  }

  const source = (): EventSource => {
    let isStopped = false
    return {
      async take() {
        while (!isStopped) {
          const pulled = pull()
          if (pulled.length > 0) return pulled
          await changed.promise
        }
        return []
      },
      async giveBack(messages) {
        for (const message of messages) message.giveBack(0)
      },
      isConnected: () => !isStopped,
      backlog: async () => ({ pending: fresh.length, unsettled: unsettled.size + again.length }),
      async stop() {
        isStopped = true
        change()
      },
      async close() {},
    }
  }

  return {
    send(messages) {
      for (const { body, id } of messages) fresh.push({ sequence: ++sequence, producerId: id, body: Buffer.from(body), deliveries: 0 })
      change()
    },
    source,
    unsettled: () => [...unsettled.keys()],
    pending: () => fresh.length + again.length,
  }
}
