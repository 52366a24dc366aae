import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, iso, nullable, object, text, timestamp } from '../../api/declare/words.ts'
import type { AuditLog } from '../../storage/audit-log.ts'
import { operatorPage } from './operator-page.ts'

const entrySchema = object({
  at: timestamp(),
  token_name: nullable(text({ description: 'Whose token called; null for `POSTERN_OPERATOR_TOKEN`.' })),
  address: nullable(text({ description: "The client's address; null in older entries." })),
  action: text(),
  status: integer(),
  target: text(),
})
const page = operatorPage('before', (about) => integer({ min: 1, ...about }), entrySchema)

export const listAudit = endpoint({
  name: 'listAudit',
  route: 'GET /operator/audit',
  section: '§5',
  summary: 'List the audit log of operator calls, newest first.',
  description:
    'Every authorized operator call that may change something, refused ones included. Not in it: publishing, which the event log records, and reads (`GET`), which are only log lines. The newest 100,000 are kept. `GET /operator/audit/failures` counts wrong credentials.',
  auth: operator,
  params: page.params,
  answer: page.answer,
  handle: ({ params: { before, max_results } }, { audit }: { audit: AuditLog }) =>
    page.read(max_results, {
      rows: (limit) => audit.list(before ?? null, limit),
      view: ({ atMs, tokenName, address, action, status, detail }) => ({
        at: iso(atMs),
        token_name: tokenName,
        address,
        action,
        status,
        target: detail,
      }),
      placeOf: ({ number }) => number,
    }),
})
