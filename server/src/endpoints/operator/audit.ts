import type { FailureLog } from '../../access/failure-log.ts'
import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, iso, nullable, object, oneOf, text, timestamp } from '../../api/declare/words.ts'
import { type AuditLog, failureKinds } from '../../storage/audit-log.ts'
import { operatorPage } from './operator-page.ts'

const entrySchema = object({
  at: timestamp(),
  token_name: nullable(
    text({ description: 'Whose token called; null for `POSTERN_OPERATOR_TOKEN`, `portal:<app id>` for the portal of an app.' }),
  ),
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

const failureSchema = object({
  hour: timestamp({ description: 'When the hour began.' }),
  kind: oneOf(failureKinds),
  address: text({ description: 'An IPv4 address, an IPv6 network (`/64`), or `others`.' }),
  count: integer({ min: 1 }),
})
const failurePage = operatorPage('before', (about) => integer({ min: 1, ...about }), failureSchema)

export const listFailures = endpoint({
  name: 'listFailures',
  route: 'GET /operator/audit/failures',
  section: '§5',
  summary: 'List how many wrong credentials came from which address, by the hour, newest first.',
  description:
    'Wrong passwords (`password`), API keys and secrets (`app_secret`), OAuth 2.0 client ids and secrets (`client_secret`), OAuth 1.0a signatures (`signature`) and operator tokens (`operator_token`), those that a limit refused included. In each hour 200 addresses are counted one by one, all others together. Kept for 30 days.',
  auth: operator,
  params: failurePage.params,
  answer: failurePage.answer,
  async handle({ params: { before, max_results } }, { audit, failureLog }: { audit: AuditLog; failureLog: FailureLog }) {
    await failureLog.flush()
    return failurePage.read(max_results, {
      rows: (limit) => audit.listFailures(before ?? null, limit),
      view: ({ hourMs, kind, address, count }) => ({ hour: iso(hourMs), kind, address, count }),
      placeOf: ({ number }) => number,
    })
  },
})
