import type { FailureLog } from '../../access/failure-log.ts'
import { operator } from '../../access/operator.ts'
import { chunkOfText, EndlessAnswer } from '../../api/declare/endless-answer.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, iso, listOf, nullable, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import { type AuditEntry, type AuditFilter, type AuditLog, failureKinds } from '../../storage/audit-log.ts'
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

const viewOf = ({ atMs, tokenName, address, action, status, detail, appId, userId, changes }: AuditEntry) => ({
  at: iso(atMs),
  token_name: tokenName,
  address,
  action,
  status,
  target: detail,
  app_id: appId,
  user_id: userId,
  changes: [...changes],
})

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
      view: (entry) => viewOf(entry),
      placeOf: ({ number }) => number,
    })
  },
})

/** Entries that are read at once, while the client reads those before. */
const EXPORTED_AT_ONCE = 500

export const exportAudit = endpoint({
  name: 'exportAudit',
  route: 'GET /operator/audit/export',
  section: '§5',
  summary: 'Export the audit log, newest first: NDJSON, an entry on each line.',
  description:
    'The entries of `GET /operator/audit`, all of them instead of a page. Where the connection ends before the answer does, entries are missing: export again.',
  auth: operator,
  mediaType: 'application/x-ndjson',
  params: filters,
  answer: entrySchema,
  async handle({ params, headers }, { audit }: { audit: AuditLog }) {
    const filter = filterOf(params)
    const read = (before: number | null) => audit.list(before, EXPORTED_AT_ONCE, filter)
    const newest = await read(null)
    headers['content-disposition'] = 'attachment; filename="audit.ndjson"'
    return new EndlessAnswer((outlet) => {
      let isClosed = false
      let goOn = () => {}
      const room = () => new Promise<void>((resolve) => (goOn = resolve))
      const linesOf = (entries: AuditEntry[]) => chunkOfText(entries.map((entry) => `${JSON.stringify(viewOf(entry))}\n`).join(''))
      async function sendAll() {
        let entries = newest
        while (entries.length === EXPORTED_AT_ONCE && !isClosed) {
          outlet.write(linesOf(entries))
          if (outlet.isFull()) await room()
          entries = await read(entries.at(-1)!.number)
        }
        if (!isClosed) outlet.end(linesOf(entries))
      }
      // The handler has answered: only a cut connection says that the export is not whole.
      sendAll().catch(() => outlet.destroy())
      return {
        drained: () => goOn(),
        closed() {
          isClosed = true
          goOn()
        },
      }
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
