import { momentOf } from '../../../lib/ids.ts'
import type { FileState } from '../../files/open-mark.ts'
import type { LogState } from './writer.ts'

/** Which log it is, and the newest event that was committed to it. */
export interface LogPosition {
  id: string
  sequence: number
}

/** What is known of the log besides what it says itself. */
export interface Expected {
  /** What the state was told last; undefined when it was never told of a log. */
  known?: LogPosition
  /** The id of a log that the operator gives up, in whole or in part. */
  acceptedLoss?: string
}

/** What came of it: a new id when part of the log is lost, and that is accepted; a line for the operator. */
export interface Verdict {
  isNew: boolean
  warning?: string
}

const sequenceMoment = (sequence: number) => (sequence === 0 ? 'the beginning' : new Date(momentOf(sequence)).toISOString())

function judge(loss: string, id: string, file: string, accepted: string | undefined): Verdict {
  if (accepted === id)
    return { isNew: true, warning: `${loss}. Starting without the missing events, as POSTERN_ACCEPT_LOG_LOSS says; unset it now` }
  throw new Error(
    `${loss}. Put back ${file} with its -wal file, or restore a backup of it and the database. To start without the events that are missing: POSTERN_ACCEPT_LOG_LOSS=${id}`,
  )
}

/** Before the file is opened, which would make one where there is none. Throws when a log was there, unless its loss is accepted. */
export function verifyThere(file: string, { isEmpty }: FileState, { known, acceptedLoss }: Expected): Verdict | undefined {
  if (!isEmpty || !known) return undefined
  return judge(`the event log ${file} is missing or empty, but the database has one on record`, known.id, file, acceptedLoss)
}

/** Throws when the log is another than the state knows, or has lost what was committed to it, unless that is accepted. */
export function verifyLog(file: string, { isCopy, hasLostWal }: FileState, state: LogState, { known, acceptedLoss }: Expected): Verdict {
  const id = known?.id ?? state.id
  if (id !== state.id) return judge(`the event log ${file} does not belong to this database`, id, file, acceptedLoss)
  if (hasLostWal)
    return judge(`${file}-wal, the write-ahead log of the event log, is missing, and with it the newest events`, id, file, acceptedLoss)
  if (!known || state.lastSequence >= known.sequence) return { isNew: false }
  const missing = `events between ${sequenceMoment(state.lastSequence)} and ${sequenceMoment(known.sequence)} are missing`
  if (isCopy) return { isNew: false, warning: `the event log ${file} is a copy, older than the database: ${missing}` }
  return judge(`the event log ${file} has lost its newest part: ${missing}`, id, file, acceptedLoss)
}
