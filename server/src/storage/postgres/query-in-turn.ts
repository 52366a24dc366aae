import type { Client } from 'pg'

/** Runs a statement. */
export type RunQuery = <Row>(text: string, values?: unknown[]) => Promise<{ rows: Row[] }>

/** The last statement of each client. */
const last = new WeakMap<Client, Promise<unknown>>()

/** Runs statements on a client, each when the one before has ended: the library queues no statements from its version 9 on. */
export const queryInTurn =
  (client: Client): RunQuery =>
  <Row>(text: string, values?: unknown[]) => {
    const run = async () => (await client.query(text, values)) as unknown as { rows: Row[] }
    const result = (last.get(client) ?? Promise.resolve()).then(run)
    last.set(
      client,
      result.catch(() => {}),
    )
    return result
  }
