import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { defaulting, id, integer, listOf, object, optional, text } from '../../api/declare/words.ts'
import { callSchema, callView, matchesFilter } from './call-view.ts'
import { type Ledger, MAX_CALLS, type RecordedCall } from './ledger.ts'

const ofApp = optional(id({ description: 'Only calls of this app.' }))

export const listRequests = endpoint({
  name: 'listRequests',
  route: 'GET /operator/requests',
  section: '§6',
  summary: 'List the last calls of the public hosts with their answers, oldest first.',
  description: `Development only. The last ${MAX_CALLS} calls, also those that were refused or reached no endpoint, but no operator calls and no explanations of refusals; those of this process. Credentials, tokens, secrets, codes, passwords, signatures and cookies are masked wherever they stand.`,
  auth: operator,
  params: {
    app_id: ofApp,
    status: optional(integer({ min: 100, max: 599 })),
    path: optional(text({ max: 500, example: '/2/', description: 'What the path begins with.' })),
    event_uuid: optional(text({ max: 19, description: 'Only the call that caused this event.' })),
    last: optional(
      integer({ min: 1, max: MAX_CALLS, description: 'The newest so many of those that match, instead of the oldest after `after`.' }),
    ),
    after: defaulting(integer({ min: 0, description: '`meta.next` of the previous call: only later calls.' }), 0),
    max_results: defaulting(integer({ min: 1, max: MAX_CALLS }), 100),
  },
  answer: object({
    data: listOf(callSchema),
    meta: object({ next: integer({ min: 0, description: 'Send this as `after` to get the calls that come next.' }) }),
  }),
  async handle({ params: { app_id, status, path, event_uuid, last, after, max_results }, giveWay }, { ledger }: { ledger: Ledger }) {
    const matches = matchesFilter({ appId: app_id, status, path, eventUuid: event_uuid })
    const found = last === undefined ? ledger.list(after, matches, max_results) : ledger.last(last, matches).reverse()
    const data: ReturnType<typeof callView>[] = []
    for (const call of found) {
      data.push(callView(call))
      await giveWay()
    }
    return { data, meta: { next: found.at(-1)?.sequence ?? after } }
  },
})

/** The call of a number. Throws `not-found`. */
export function mustFindCall(ledger: Ledger, sequence: number): RecordedCall {
  const call = ledger.find(sequence)
  if (!call) throw new Problem('not-found', { detail: `There is no call ${sequence}: the last ${MAX_CALLS} of this process are kept.` })
  return call
}

export const getRequest = endpoint({
  name: 'getRequest',
  route: 'GET /operator/requests/:sequence',
  section: '§6',
  summary: 'Get one of the last calls of the public hosts with its answer.',
  description: 'Development only.',
  auth: operator,
  params: { sequence: integer({ min: 1, example: 1 }) },
  answer: object({ data: callSchema }),
  problems: ['not-found'],
  async handle({ params: { sequence } }, { ledger }: { ledger: Ledger }) {
    return { data: callView(mustFindCall(ledger, sequence)) }
  },
})

export const deleteRequests = endpoint({
  name: 'deleteRequests',
  route: 'DELETE /operator/requests',
  section: '§6',
  summary: 'Forget the calls so far, or those of an app.',
  description: 'Development only.',
  auth: operator,
  params: { app_id: ofApp },
  answer: object({ data: object({ deleted: integer({ min: 0, description: 'How many there were.' }) }) }),
  async handle({ params: { app_id } }, { ledger }: { ledger: Ledger }) {
    return { data: { deleted: ledger.clear(matchesFilter({ appId: app_id })) } }
  },
})
