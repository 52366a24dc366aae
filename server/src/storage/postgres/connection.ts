import { Client, type ClientBase, type ClientConfig, type CustomTypesConfig, type Pool, type QueryResult, types } from 'pg'
import type { Clock } from '../../lib/clock.ts'
import type { Outage } from '../outage.ts'

const INT8 = 20
const CONNECT_TIMEOUT_MS = 5000

/** The timeouts of a connection, in milliseconds; 0 is unlimited. */
export interface Timeouts {
  /** For a lock of another transaction (`lock_timeout`). */
  lockMs: number
  /** For the end of a statement (`statement_timeout`). */
  statementMs: number
  /** For the response to a statement. Longer than `statementMs`: a reachable server has responded by then, so the connection is dead. */
  answerMs: number
}

/** The transaction of a frozen process releases its locks after this time. */
const IDLE_IN_TRANSACTION_MS = 10_000

/** An int8 is parsed as a number: all values are below 2^53, except longs, which are read as text. */
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === INT8 ? Number : types.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser']

/**
 * The configuration of every connection. The kernel probes a connection that is quiet for 10 s, and drops it after another 10 s without a
 * response. A connection that waits for a response is limited by `answerMs`, because the kernel retransmits for 15 minutes.
 */
export const connectionConfig = (url: string, name: string, answerMs: number): ClientConfig => ({
  connectionString: url,
  application_name: name,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: answerMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types: { getTypeParser },
})

/** SQLSTATE `read_only_sql_transaction`. */
const READ_ONLY = '25006'

/** The session can write nothing: its server is a standby, or its default has been set so. */
export const isReadOnly = (error: unknown) => (error as { code?: unknown } | undefined)?.code === READ_ONLY

const ASK_READ_ONLY = 'show transaction_read_only'

/** Throws if a session can write nothing, with the error that its first write would have. Asked last in a query of several statements. */
function assertWrites(result: QueryResult | QueryResult[]) {
  const last = [result].flat().at(-1)
  if (last?.rows[0].transaction_read_only === 'on')
    throw Object.assign(new Error('the server takes no writes: it is a standby, or default_transaction_read_only is on'), {
      code: READ_ONLY,
    })
}

/** Throws if a session of the pool can write nothing. Then the others are closed too. */
export async function checkWrites(pool: Pool, outage: Outage): Promise<void> {
  const result = await pool.query(ASK_READ_ONLY)
  try {
    assertWrites(result)
  } catch (error) {
    outage.suspectConnections('read-only')
    throw error
  }
}

/** Prepares a new connection. One that can write nothing is refused: it may stay so when the server takes writes again. */
export async function prepareSession(client: ClientBase, timeouts: Timeouts, more?: readonly string[]): Promise<void> {
  assertWrites(await client.query(`${sessionSettings(timeouts, more)}; ${ASK_READ_ONLY}`))
}

/**
 * Ends the limits that an administrator may have set for all sessions, and that not every version has: of the time that a session is idle, as
 * one that waits for notifications and holds a worker number is, and that a transaction takes, as those of migrations and backups do.
 */
export const LIFT_LIMITS = `select set_config(name, '0', false) from pg_settings where name in ('idle_session_timeout', 'transaction_timeout')`

/** The settings of a new connection. As statements, because options in the URL would replace options in the configuration. */
const sessionSettings = ({ lockMs, statementMs }: Timeouts, more: readonly string[] = []): string =>
  [
    `lock_timeout = ${lockMs}`,
    `statement_timeout = ${statementMs}`,
    `idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
    // The server also drops a client that no longer reads. Unix sockets have no such setting.
    'tcp_user_timeout = 30000',
    ...more,
  ]
    .map((setting) => `set ${setting}`)
    .concat(LIFT_LIMITS)
    .join('; ')

const GOODBYE_MS = 1000

/** Ends a connection cleanly, or destroys it if the other side does not respond. */
export async function endConnection(client: Client, clock: Clock): Promise<void> {
  const timer = clock.after(GOODBYE_MS, () => destroyConnection(client))
  await client.end().catch(() => {})
  timer.cancel()
}

/** The driver's message for a response that did not arrive in time. */
const isUnanswered = (error: unknown) => (error as Error | undefined)?.message === 'Query read timeout'

/** Closes a connection without waiting, because the other side may be dead. */
export const destroyConnection = (client: object): void =>
  void (client as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()

/** From now on a connection does not keep the process alive. The types of the driver do not have the method. */
export const unholdProcess = (client: object): void => (client as { unref(): void }).unref()

type Answered = (error: Error | null, result?: unknown) => void

interface Troubles {
  /** A response did not arrive in time; the connection is destroyed. */
  unanswered(): void
  /** A write was refused, because the session is read-only. */
  readOnly(client: Client): void
}

/** A client that tells when its connection is of no use any more. */
export const watchfulClient = ({ unanswered, readOnly }: Troubles) =>
  class WatchfulClient extends Client {
    // biome-ignore lint/suspicious/noExplicitAny: one method for all the ways in which the driver takes a query
    override query(...parameters: any[]): any {
      const giveUp = (error: unknown) => {
        if (isReadOnly(error)) readOnly(this)
        if (!isUnanswered(error)) return
        destroyConnection(this)
        unanswered()
      }
      const callback: Answered | undefined = typeof parameters.at(-1) === 'function' ? parameters.pop() : undefined
      const ask = super.query.bind(this) as (...given: unknown[]) => Promise<unknown> | undefined
      if (callback) {
        return ask(...parameters, (error: Error | null, result?: unknown) => {
          giveUp(error)
          callback(error, result)
        })
      }
      const answer = ask(...parameters)
      answer?.catch(giveUp)
      return answer
    }
  }
