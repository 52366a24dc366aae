/** What a stop is waiting for, by name: what a process that is ended before cuts off. */
export function createUnfinished() {
  const open = new Set<string>()
  return {
    names: () => [...open],
    /** Names work until it ends. */
    async until<T>(name: string, work: Promise<T>): Promise<T> {
      open.add(name)
      try {
        return await work
      } finally {
        open.delete(name)
      }
    },
  }
}
export type Unfinished = ReturnType<typeof createUnfinished>

interface Part {
  stop(): Promise<unknown>
}

/** What accepts work or does it. */
interface Parts extends Record<'hosts' | 'delivery' | 'catalogWork' | 'media' | 'outbox', Part> {
  broker: Part | undefined
  /** Connections to streams and feeds do not end by themselves, and the hosts close when all have ended. */
  endStreams(): Promise<unknown>
}

/**
 * Ends all parts at once. Delivery begins nothing more from here on: what requests, the broker and the outbox publish meanwhile stays in the
 * log. The outbox is the last, because requests put events into it until their end.
 */
export async function stopParts({ hosts, endStreams, delivery, catalogWork, media, broker, outbox }: Parts, { until }: Unfinished) {
  const requests = Promise.all([endStreams(), until('requests', hosts.stop())])
  await Promise.all([
    until('deliveries', delivery.stop()),
    until('catalogs', catalogWork.stop()),
    until('uploads', media.stop()),
    broker && until('broker', broker.stop()),
    requests.then(() => until('outbox', outbox.stop())),
  ])
}
