import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/endpoint.ts'
import { integer, iso, listOf, object, optional, text, timestamp } from '../../api/words.ts'
import type { AuditLog } from '../../storage/audit-log.ts'

export const listAudit = endpoint({
  name: 'listAudit',
  route: 'GET /operator/audit',
  section: '§5',
  summary: 'The audit log: what operators have called, newest first.',
  description: 'Every authorized operator call but the publishing of events, which the event log records. The newest 100,000 are kept.',
  auth: operator,
  params: {
    before: optional(integer({ min: 1, description: '`meta.next_before` of the page before.' })),
    max_results: optional(integer({ min: 1, max: 1000, default: 100 })),
  },
  answer: object({
    data: listOf(object({ at: timestamp(), action: text(), status: integer(), target: text() })),
    meta: object({
      result_count: integer({ min: 0 }),
      next_before: optional(integer({ description: 'There may be more: ask with this as `before`.' })),
    }),
  }),
  async handle({ params: { before, max_results = 100 } }, { audit }: { audit: AuditLog }) {
    const found = await audit.list(before ?? null, max_results)
    const more = found.length === max_results && { next_before: found.at(-1)!.number }
    const data = found.map(({ atMs, action, status, detail }) => ({ at: iso(atMs), action, status, target: detail }))
    return { data, meta: { result_count: found.length, ...more } }
  },
})
