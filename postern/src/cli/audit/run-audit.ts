import type { RunCommand } from '../command.ts'
import { timesOf } from '../deliveries/delivery.ts'
import { EXIT } from '../failure.ts'
import { tableLines } from '../output.ts'
import { wholeNumber } from '../read-values.ts'

interface Change {
  field: string
  before: string | null
  after: string | null
}

/** An entry, as `GET /operator/audit` lists it. */
interface Entry {
  at: string
  token_name: string | null
  address: string | null
  action: string
  status: number
  app_id: string | null
  user_id: string | null
  changes: Change[]
}

const HEADINGS = ['at', 'token', 'address', 'action', 'status', 'app', 'user', 'changes']

/** Of a secret it is only known that it changed. */
function sayChange({ field, before, after }: Change): string {
  if (before === null && after === null) return field
  if (after === null) return `${field} of ${before}`
  return before === null ? `${field} ${after}` : `${field} ${before} → ${after}`
}

const rowOf = ({ at, token_name, address, action, status, app_id, user_id, changes }: Entry) => [
  at,
  token_name ?? 'POSTERN_OPERATOR_TOKEN',
  address ?? '–',
  action,
  String(status),
  app_id ?? '–',
  user_id ?? '–',
  changes.map(sayChange).join(', ') || '–',
]

/** Lists the audit log. */
export const runAudit: RunCommand = async ({ options }, { out, server }) => {
  const { action, actor, target, from, to, 'max-results': maxResults } = options as Record<string, string | undefined>
  const most = wholeNumber('max-results', maxResults!, 1, 1000)
  const query = { action, actor, target, ...(await timesOf(server, { from, to })), max_results: String(most) }
  const { data, meta } = await server.operator('GET', '/operator/audit', { query })
  out.show({ data, meta }, () => (data.length === 0 ? ['There are no such entries.'] : tableLines(HEADINGS, (data as Entry[]).map(rowOf))))
  return EXIT.done
}
