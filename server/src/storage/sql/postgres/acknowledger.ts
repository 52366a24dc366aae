import type { RunQuery } from '../../postgres/query-in-turn.ts'
import { type Acknowledged, acknowledgementsOf, NOTIFY_UNSYNCED } from './cache-messages.ts'

/** The maximum of changes in one message: a notification has at most 8,000 bytes. */
const ACKNOWLEDGED_AT_ONCE = 500

/**
 * Acknowledges the changes of other processes: all that arrive while a message is under way with the next one. If a message cannot be sent the
 * connection is lost, and the others wait until the trust of this process has run out.
 */
export function createAcknowledger(send: RunQuery, own: () => string): (by: string, number: number) => void {
  const heard = new Map<string, number[]>()
  let isSending = false

  const sendAll = async () => {
    isSending = true
    while (heard.size > 0)
      for (const [by, numbers] of heard) {
        const message: Acknowledged = { by: own(), numbers: numbers.splice(0, ACKNOWLEDGED_AT_ONCE) }
        if (numbers.length === 0) heard.delete(by)
        await send(NOTIFY_UNSYNCED, [acknowledgementsOf(by), JSON.stringify(message)])
      }
  }

  return (by, number) => {
    const numbers = heard.get(by) ?? []
    numbers.push(number)
    heard.set(by, numbers)
    if (isSending) return
    sendAll()
      .catch(() => heard.clear())
      .finally(() => {
        isSending = false
      })
  }
}
