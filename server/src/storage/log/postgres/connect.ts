import type { Pool } from 'pg'
import type { Outage } from '../../outage.ts'
import type { Timeouts } from '../../postgres/connection.ts'
import { createPool } from '../../postgres/pool.ts'
import { keysOnlySettings } from './keys-only.ts'

/** For all but the commits, which have one of their own. */
const CONNECTIONS = 3

/** What one process takes over of another may be much: a statement has time. */
const READS: Timeouts = { lockMs: 5000, statementMs: 18_000, answerMs: 20_000 }
/** A producer waits for the answer, so it is not waited for as long as others. */
const COMMITS: Timeouts = { lockMs: 5000, statementMs: 8000, answerMs: 10_000 }

/** Everything the log asks goes along an index: a plan made while the tables were small stays right when they have grown. */
const indexesOnly = ['enable_seqscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off']

/** The connections of the log to the database at `url`. */
export const connect = (url: string, outage: Outage): Pool =>
  createPool({ url, name: 'postern-log', connections: CONNECTIONS, timeouts: READS, settings: indexesOnly, outage })

/** A connection of its own: those of the others may all wait for what it says. */
export const connectToRegister = (url: string, outage: Outage): Pool =>
  createPool({ url, name: 'postern-log', connections: 1, timeouts: READS, settings: indexesOnly, outage })

/** The connection that commits, one batch at a time. */
export const connectForCommits = (url: string, outage: Outage): Pool =>
  createPool({ url, name: 'postern-log', connections: 1, timeouts: COMMITS, settings: keysOnlySettings, outage })
