import type { MalformedRequest } from './malformed-requests.ts'
import { createRawClient, type WireAnswer } from './raw-client.ts'

export interface Barrage {
  origin: string
  requests: Iterator<MalformedRequest>
  /** Connections, each with one request at a time. */
  inFlight: number
  /** No answer may take longer. */
  longestMs: number
  /** Told of each answer and how long it took; what it throws ends the barrage. */
  answered(answer: WireAnswer, isHead: boolean, tookMs: number): void
}

/** Sends requests until there are no more. Rejects, naming the request, when one has no answer in time or `answered` throws. */
export async function barrage({ origin, requests, inFlight, longestMs, answered }: Barrage): Promise<void> {
  const ask = async (client: ReturnType<typeof createRawClient>, request: MalformedRequest) => {
    const { bytes, isHead, isLast, isCut } = request
    const startedMs = performance.now()
    const answers = await (isLast ? client.askLast(bytes, isHead, isCut) : client.ask(bytes, isHead))
    if (answers.length === 0) throw new Error('no answer')
    for (const answer of answers) answered(answer, isHead, performance.now() - startedMs)
  }

  const oneConnection = async () => {
    const client = createRawClient(origin, longestMs)
    for (let next = requests.next(); !next.done; next = requests.next()) {
      await ask(client, next.value).catch((error) => {
        throw new Error(`${next.value.bytes.toString('latin1').slice(0, 3000)}`, { cause: error })
      })
    }
    client.close()
  }

  await Promise.all(Array.from({ length: inFlight }, oneConnection))
}
