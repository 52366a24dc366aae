import { WORKER_LIMIT } from '../../lib/ids.ts'
import { EVENT_LOG, EVENT_LOGS, HELD_SINCE, LOG_IDENTITY, processKey, SHARED_SETTINGS } from '../metadata.ts'
import { DECLARED_TABLES } from './records/declared-record.ts'
import { SEALING_PROOF } from './sealing-proof.ts'

/** The metadata that say which database it is, and how processes use it: a wipe does not delete them, and a snapshot has none of them. */
export const KEPT_METADATA: readonly string[] = [
  SEALING_PROOF,
  DECLARED_TABLES,
  EVENT_LOG,
  EVENT_LOGS,
  LOG_IDENTITY,
  HELD_SINCE,
  SHARED_SETTINGS,
  ...Array.from({ length: WORKER_LIMIT }, (_, worker) => processKey(worker)),
]
