import type { FailureLog } from '../../access/failure-log.ts'
import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, iso, object, oneOf, text, timestamp } from '../../api/declare/words.ts'
import { type AuditLog, failureKinds } from '../../storage/audit-log.ts'
import { operatorPage } from './operator-page.ts'

const entrySchema = object({
  hour: timestamp({ description: 'When the hour began.' }),
  kind: oneOf(failureKinds),
  address: text({ description: 'An IPv4 address, an IPv6 network (`/64`), or `others`.' }),
  count: integer({ min: 1 }),
})
const page = operatorPage('before', (about) => integer({ min: 1, ...about }), entrySchema)

export const listFailures = endpoint({
  name: 'listFailures',
  route: 'GET /operator/audit/failures',
  section: '§5',
  summary: 'List how many wrong credentials came from which address, by the hour, newest first.',
  description:
    'Wrong passwords (`password`), API keys and secrets (`app_secret`), OAuth 2.0 client ids and secrets (`client_secret`), OAuth 1.0a signatures (`signature`) and operator tokens (`operator_token`), those that a limit refused included. In each hour 200 addresses are counted one by one, all others together. Kept for 30 days.',
  auth: operator,
  params: page.params,
  answer: page.answer,
  async handle({ params: { before, max_results } }, { audit, failureLog }: { audit: AuditLog; failureLog: FailureLog }) {
    await failureLog.flush()
    return page.read(max_results, {
      rows: (limit) => audit.listFailures(before ?? null, limit),
      view: ({ hourMs, kind, address, count }) => ({ hour: iso(hourMs), kind, address, count }),
      placeOf: ({ number }) => number,
    })
  },
})
