import { Client, type ClientConfig, type CustomTypesConfig, types } from 'pg'
import type { Clock } from '../../lib/clock.ts'

const INT8 = 20
const CONNECT_TIMEOUT_MS = 5000

/** How long is waited on a connection, in milliseconds; 0 is for ever. */
export interface Timeouts {
  /** For a lock that another transaction has (`lock_timeout`). */
  lockMs: number
  /** For the end of a statement (`statement_timeout`). */
  statementMs: number
  /** For the answer to a statement. Longer than `statementMs`: a server that can be reached has answered by then, so the connection is dead. */
  answerMs: number
}

/** A transaction whose process is frozen gives its locks back after this. */
const IDLE_IN_TRANSACTION_MS = 10_000

/** An int8 is read as a number: all of ours are below 2^53, but for longs, which are read as text. */
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === INT8 ? Number : types.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser']

/**
 * What every connection is made with. The kernel probes one that is quiet for 10 s and drops it after 10 more without an answer; one
 * that waits for an answer is judged by `answerMs` alone, because the kernel repeats what was sent for a quarter of an hour.
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

/** What a connection is told first. As statements, because the options of a URL would replace options of ours. */
export const sessionSettings = ({ lockMs, statementMs }: Timeouts, more: readonly string[] = []): string =>
  [
    `lock_timeout = ${lockMs}`,
    `statement_timeout = ${statementMs}`,
    `idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
    // The server, too, gives up a peer that takes nothing any more. Sockets of a file system have no such setting.
    'tcp_user_timeout = 30000',
    ...more,
  ]
    .map((setting) => `set ${setting}`)
    .join('; ')

const GOODBYE_MS = 1000

/** Ends a connection in order, or, when the other side says nothing, without it. */
export async function endConnection(client: Client, clock: Clock): Promise<void> {
  const timer = clock.after(GOODBYE_MS, () => destroyConnection(client))
  await client.end().catch(() => {})
  timer.cancel()
}

/** The driver's words for an answer that did not come in time. */
const isUnanswered = (error: unknown) => (error as Error | undefined)?.message === 'Query read timeout'

/** Closes a connection without waiting for anything: the other side may not be there. */
export const destroyConnection = (client: object): void =>
  void (client as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()

type Answered = (error: Error | null, result?: unknown) => void

/** A client whose connection is destroyed when an answer does not come in time; `unanswered` is told. */
export const impatientClient = (unanswered: () => void) =>
  class ImpatientClient extends Client {
    // biome-ignore lint/suspicious/noExplicitAny: one method for all the ways in which the driver takes a query
    override query(...parameters: any[]): any {
      const giveUp = (error: unknown) => {
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
