import { momentOf } from '../../../lib/ids.ts'
import { acceptLoss, type FileState } from '../../files/open-mark.ts'
import type { LogState } from './writer.ts'

/** Which log it is, and the newest event that was committed to it. */
export interface LogPosition {
  id: string
  sequence: number
}

/** What is known about the log from elsewhere. */
export interface Expected {
  /** The position that the state recorded last; undefined if it has none. */
  known?: LogPosition
  /** The id of a log whose loss, in whole or in part, the operator accepts. */
  acceptedLoss?: string
}

/** The result: `isNew` if part of the log is lost and that is accepted, so that it gets a new id; a warning for the operator. */
export interface LogCheck {
  isNew: boolean
  warning?: string
}

const sequenceMoment = (sequence: number) => (sequence === 0 ? 'the beginning' : new Date(momentOf(sequence)).toISOString())

/** Throws unless the operator accepts the loss of this log. */
function acceptOrThrow(loss: string, id: string, file: string, accepted: string | undefined): LogCheck {
  const remedy = `Put back ${file} with its -wal file, or restore a backup of it and the database`
  return { isNew: true, warning: acceptLoss({ loss, remedy, lost: 'the missing events', id, accepted }) }
}

/**
 * Called before the file is opened, because opening creates it. Throws if the state has recorded a log and the file is missing or empty,
 * unless that loss is accepted.
 */
export function verifyExists(file: string, { isEmpty }: FileState, { known, acceptedLoss }: Expected): LogCheck | undefined {
  if (!isEmpty || !known) return undefined
  return acceptOrThrow(`the event log ${file} is missing or empty, but the database has one on record`, known.id, file, acceptedLoss)
}

/** Throws if the log is not the one that the state recorded, or has lost committed events, unless that loss is accepted. */
export function verifyLog(file: string, { isCopy, hasLostWal }: FileState, state: LogState, { known, acceptedLoss }: Expected): LogCheck {
  const id = known?.id ?? state.id
  if (id !== state.id) return acceptOrThrow(`the event log ${file} does not belong to this database`, id, file, acceptedLoss)
  if (hasLostWal)
    return acceptOrThrow(
      `${file}-wal, the write-ahead log of the event log, is missing or empty, and with it the newest events`,
      id,
      file,
      acceptedLoss,
    )
  if (!known || state.lastSequence >= known.sequence) return { isNew: false }
  const missing = `events between ${sequenceMoment(state.lastSequence)} and ${sequenceMoment(known.sequence)} are missing`
  if (isCopy) return { isNew: false, warning: `the event log ${file} is a copy, older than the database: ${missing}` }
  return acceptOrThrow(`the event log ${file} has lost its newest part: ${missing}`, id, file, acceptedLoss)
}
