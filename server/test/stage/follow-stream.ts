import { pause } from './pause.ts'
import type { StreamClient } from './stream-client.ts'

/** The stream of an app, followed over the ends of its connections. */
export interface FollowedStream {
  /** Connections that were refused. */
  refused: string[]
  has(uuid: string): boolean
  stop(): Promise<void>
}

/** Follows the stream of an app, and connects again whenever it ends. Resolves once it is connected: the log keeps events for it from then on. */
export async function followStream(connect: () => Promise<StreamClient>): Promise<FollowedStream> {
  const uuids = new Set<string>()
  const refused: string[] = []
  let isOver = false
  let current = await connect()
  const follow = async () => {
    while (!isOver) {
      if (current.status !== 200) refused.push(`${current.status} ${current.text}`)
      while (!current.hasEnded && !isOver) await pause()
      for (const uuid of current.uuids) uuids.add(uuid)
      if (!isOver) current = await connect()
    }
  }
  const following = follow()
  return {
    refused,
    has: (uuid) => uuids.has(uuid) || current.uuids.includes(uuid),
    async stop() {
      isOver = true
      current.close()
      await following
    },
  }
}
