// Applies batches to PostgreSQL, on a connection of its own: looking up and comparing thousands of identifiers would delay requests.
import { parentPort, workerData } from 'node:worker_threads'
import { Client } from 'pg'
import { createClock } from '../../../../lib/clock.ts'
import { serveCalls } from '../../../../lib/thread-calls.ts'
import { connectionConfig, endConnection, prepareSession } from '../../../postgres/connection.ts'
import { indexesOnly } from '../../../postgres/planner-settings.ts'
import { createMemberTables, type MemberTables, type SweepProgress } from './member-tables.ts'

const TIMEOUTS = { lockMs: 10_000, statementMs: 18_000, answerMs: 20_000 }

interface Connection {
  client: Client
  tables: MemberTables
}

function createMethods(url: string) {
  const clock = createClock()
  let open: Connection | undefined
  const progress: SweepProgress = {}

  async function connect(): Promise<Connection> {
    const client = new Client(connectionConfig(url, 'postern-audiences', TIMEOUTS.answerMs))
    client.on('error', () => {
      if (open?.client === client) open = undefined
    })
    try {
      await client.connect()
      await prepareSession(client, TIMEOUTS, indexesOnly)
    } catch (error) {
      await endConnection(client, clock)
      throw error
    }
    return { client, tables: createMemberTables(client, progress) }
  }

  /** A connection on which anything failed is not used again. */
  async function run<T>(use: (tables: MemberTables) => Promise<T>): Promise<T> {
    open ??= await connect()
    const { client, tables } = open
    try {
      return await use(tables)
    } catch (error) {
      open = undefined
      await endConnection(client, clock)
      throw error
    }
  }

  return {
    apply: (call: Parameters<MemberTables['apply']>[0]) => run(({ apply }) => apply(call)),
    remove: (audienceId: string) => run(({ remove }) => remove(audienceId)),
    sweep: (nowMs: number) => run(({ sweep }) => sweep(nowMs)),
    wipe: () => run(({ wipe }) => wipe()),
    close: async () => open && endConnection(open.client, clock),
  }
}

export type PostgresMethods = ReturnType<typeof createMethods>

if (parentPort) await serveCalls(parentPort, createMethods(workerData.url))
