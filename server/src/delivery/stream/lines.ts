import { type Chunk, chunkOf } from '../../api/declare/endless-answer.ts'
import type { StreamEntry } from '../../storage/event-log.ts'
import { bodyOf } from '../envelope.ts'

const LINE_END = Buffer.from('\r\n')

/** An empty line, so that a client whose connection is dead notices. */
export const KEEP_ALIVE: Chunk = chunkOf([LINE_END])

/** Events as lines of JSON, the same bodies that webhooks get. */
export const linesOf = (entries: readonly StreamEntry[]): Chunk => chunkOf(entries.flatMap((entry) => [bodyOf(entry), LINE_END]))
