import { type Chunk, chunkOf, chunkOfText } from '../../api/declare/endless-answer.ts'
import type { StreamEntry } from '../../storage/event-log.ts'
import { headOf } from '../envelope.ts'

const LINE_END = '\r\n'
const [CR, LF] = Buffer.from(LINE_END) as unknown as [number, number]

/** An empty line, so that a client whose connection is dead notices. */
export const KEEP_ALIVE: Chunk = chunkOfText(LINE_END)

/** Events as lines of JSON, the same bodies that webhooks get. */
export function linesOf(entries: readonly StreamEntry[]): Chunk {
  const heads = entries.map(headOf)
  let length = 0
  for (const [place, { content }] of entries.entries()) length += Buffer.byteLength(heads[place]!) + content.length + LINE_END.length
  return chunkOf(length, (buffer, start) => {
    let at = start
    for (const [place, { content }] of entries.entries()) {
      at += buffer.write(heads[place]!, at)
      buffer.set(content, at)
      at += content.length
      buffer[at++] = CR
      buffer[at++] = LF
    }
  })
}

/** The bytes of the events, without what their lines begin with. */
export const contentBytes = (entries: readonly StreamEntry[]) => entries.reduce((bytes, { content }) => bytes + content.length, 0)

/** Lines that are made when the first connection needs them. */
export interface Lines {
  /** Of the events; their lines are a little longer. */
  bytes: number
  chunk(): Chunk
}

/** The same lines for all connections that need them. */
export function sharedLines(entries: readonly StreamEntry[]): Lines {
  let chunk: Chunk | undefined
  return { bytes: contentBytes(entries), chunk: () => (chunk ??= linesOf(entries)) }
}
