import type { Server } from '../server.ts'

/** A call that the server answered, as `GET /operator/requests` lists it. */
export interface RecordedCall {
  sequence: number
  at: string
  method: string
  url: string
  app_id: string | null
  user_id: string | null
  status: number
  duration_ms: number
  refused?: { reason: string; explain_url?: string }
  fault?: string
}

/** The server keeps as many. */
const MOST = '1000'

export type Filter = Readonly<Record<'app_id' | 'status' | 'path', string | undefined>>

/** The calls after a place, oldest first, and the place after them. */
export async function recordedCalls(
  server: Server,
  filter: Partial<Filter> = {},
  after = 0,
): Promise<{ calls: RecordedCall[]; next: number }> {
  const query = { ...filter, max_results: MOST, ...(after > 0 && { after: String(after) }) }
  const { data, meta } = await server.operator('GET', '/operator/requests', { query })
  return { calls: data, next: meta.next }
}
