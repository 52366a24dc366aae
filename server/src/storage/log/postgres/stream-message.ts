/** Of a batch with entries for more apps only the range is announced: a notification holds less than 8,000 bytes. */
const MOST_APPS = 200

const KIND = 'stream'

/** Entries of streams that a process has appended: those of these apps, or of any, with a sequence number in [from, to]. */
export interface StreamMessage {
  worker: number
  from: number
  to: number
  appIds?: string[]
}

/** The announcement of entries. */
export function streamMessage(worker: number, entries: readonly { sequence: number; appId: string }[]): string {
  const appIds = [...new Set(entries.map(({ appId }) => appId))]
  const apps = appIds.length <= MOST_APPS && appIds.join(' ').length < MOST_APPS * 20 ? appIds : []
  const sequences = entries.map(({ sequence }) => sequence)
  return [KIND, worker, Math.min(...sequences), Math.max(...sequences), ...apps].join(' ')
}

/** Reads an announcement; undefined if it is of another kind. */
export function readStreamMessage(payload: string): StreamMessage | undefined {
  const [kind, worker, from, to, ...appIds] = payload.split(' ')
  if (kind !== KIND) return undefined
  return { worker: Number(worker), from: Number(from), to: Number(to), ...(appIds.length > 0 && { appIds }) }
}
