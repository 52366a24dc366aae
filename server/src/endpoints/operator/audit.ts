import type { FailureLog } from '../../access/failure-log.ts'
import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, iso, listOf, nullable, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import { type AuditFilter, type AuditLog, failureKinds } from '../../storage/audit-log.ts'
import { operatorPage } from './operator-page.ts'
import { windowOf, windowTime } from './time-window.ts'

const entrySchema = object({
  at: timestamp(),
  token_name: nullable(
    text({ description: 'Whose token called; null for `POSTERN_OPERATOR_TOKEN`, `portal:<app id>` for the portal of an app.' }),
  ),
  address: nullable(text({ description: "The client's address; null in older entries." })),
  action: text(),
  status: integer(),
  target: text(),
  app_id: nullable(text({ description: 'The app that it was about, where there is one; null in older entries.' })),
  user_id: nullable(text({ description: 'The user that it was about, where there is one; null in older entries.' })),
  changes: listOf(
    object({
      field: text(),
      before: nullable(text({ description: 'The value before, as JSON. Null for a secret.' })),
      after: nullable(text({ description: 'The value after, as JSON. Null for a secret.' })),
    }),
    { description: 'What it changed. Empty where the call has no single fields or changed none, and in older entries.' },
  ),
})
const page = operatorPage('before', (about) => integer({ min: 1, ...about }), entrySchema)

const UNNAMED = 'POSTERN_OPERATOR_TOKEN'

const filters = {
  action: optional(text({ max: 100, example: 'updateApp', description: 'The name of the endpoint.' })),
  actor: optional(
    text({
      max: 200,
      example: 'ci',
      description: `The name of the token, \`portal:<app id>\`, or \`${UNNAMED}\` for that without a name.`,
    }),
  ),
  target: optional(text({ max: 100, example: '1', description: 'The id of the app or user that it was about.' })),
  from: optional(windowTime('Entries from this time on.')),
  to: optional(windowTime('Entries before this time.')),
}

interface Asked {
  action?: string
  actor?: string
  target?: string
  from?: string
  to?: string
}

function filterOf({ action, actor, target, from, to }: Asked): AuditFilter {
  const window = from !== undefined && to !== undefined ? windowOf(from, to) : undefined
  return {
    action,
    tokenName: actor === UNNAMED ? null : actor,
    target,
    fromMs: window?.fromMs ?? (from === undefined ? undefined : Date.parse(from)),
    toMs: window?.toMs ?? (to === undefined ? undefined : Date.parse(to)),
  }
}

export const listAudit = endpoint({
  name: 'listAudit',
  route: 'GET /operator/audit',
  section: '§5',
  summary: 'List the audit log of operator calls, newest first.',
  description:
    'Every authorized operator call that may change something, refused ones included. Not in it: publishing, which the event log records, and reads (`GET`), which are only log lines. The newest 100,000 are kept. `GET /operator/audit/failures` counts wrong credentials.',
  auth: operator,
  params: { ...filters, ...page.params },
  answer: page.answer,
  handle: async ({ params: { before, max_results, ...asked } }, { audit }: { audit: AuditLog }) => {
    const filter = filterOf(asked)
    return page.read(max_results, {
      rows: (limit) => audit.list(before ?? null, limit, filter),
      view: ({ atMs, tokenName, address, action, status, detail, appId, userId, changes }) => ({
        at: iso(atMs),
        token_name: tokenName,
        address,
        action,
        status,
        target: detail,
        app_id: appId,
        user_id: userId,
        changes: [...changes],
      }),
      placeOf: ({ number }) => number,
    })
  },
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
