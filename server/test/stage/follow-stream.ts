import { PATIENCE_MS, pause } from './pause.ts'
import type { StreamClient } from './stream-client.ts'

/** The stream of an app, followed over the ends of its connections. */
export interface FollowedStream extends AsyncDisposable {
  /** Connections that were refused, or could not be made. */
  refused: string[]
  /** Waits for these events, as long as a test is patient, and returns those that did not come. */
  missingOf(uuids: readonly string[]): Promise<string[]>
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
      while (current.hasEnded && !isOver) {
        try {
          current = await connect()
        } catch (error) {
          refused.push(String(error))
          await pause()
        }
      }
    }
  }
  const following = follow()
  const stop = async () => {
    isOver = true
    current.close()
    await following
    // It may have connected meanwhile.
    current.close()
  }
  const has = (uuid: string) => uuids.has(uuid) || current.uuids.includes(uuid)
  return {
    refused,
    async missingOf(expected) {
      const untilMs = performance.now() + PATIENCE_MS
      let missing = expected.filter((uuid) => !has(uuid))
      while (missing.length > 0 && performance.now() < untilMs) {
        await pause()
        missing = missing.filter((uuid) => !has(uuid))
      }
      return missing
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
