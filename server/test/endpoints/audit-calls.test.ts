import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { allEndpoints } from '../../scripts/all-endpoints.ts'
import type { OperatorCaller } from '../../src/access/operator.ts'
import { createCallAudit } from '../../src/endpoints/operator/audit-calls.ts'
import type { AuditLog } from '../../src/storage/audit-log.ts'

const NOW_MS = 1_800_000_000_000
const endpointOf = (route: string) => allEndpoints.find(({ method, path }) => `${method} ${path}` === route)!
const callerOf = (name: string | null) => ({ operator: { name, role: 'operate' } }) as OperatorCaller

interface Call {
  route: string
  status?: number
  caller?: OperatorCaller
  target?: string
  query?: string
  pathParams?: Record<string, string>
}

/** What the audit log and the log lines have of a call. */
function audited({ route, status = 200, caller, target = '/', query = '', pathParams = {} }: Call) {
  const entries: object[] = []
  const lines: Record<string, unknown>[] = []
  const audit = { append: async (entry: object) => void entries.push(entry) } as unknown as AuditLog
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const request = { method: 'GET', target, query, pathParams, headers: {}, body: null, remoteAddress: '' }
  createCallAudit({ audit, now: () => NOW_MS, logger, addressOf: () => '203.0.113.7' })(endpointOf(route), request, status, caller)
  return { entries, lines: lines.map(({ endpoint, status: said, token_name }) => [endpoint, said, token_name]) }
}

test('an operator call is in the audit log and in the log lines, with the name of the token', () => {
  assert.deepEqual(
    audited({ route: 'DELETE /operator/apps/:app_id', caller: callerOf('ops'), target: '/operator/apps/7', pathParams: { app_id: '7' } }),
    {
      entries: [
        {
          atMs: NOW_MS,
          action: 'deleteApp',
          status: 200,
          detail: '/operator/apps/7',
          tokenName: 'ops',
          address: '203.0.113.7',
          appId: '7',
          userId: null,
          changes: [],
        },
      ],
      lines: [['deleteApp', 200, 'ops']],
    },
  )
})

test('a call without a valid token is in the log lines alone, so that strangers push no entries out', () => {
  for (const route of ['GET /operator/apps', 'POST /operator/events'])
    assert.deepEqual(audited({ route, status: 401 }), { entries: [], lines: [[endpointOf(route).name, 401, undefined]] })
})

test('a call that publishes is not in the audit log, because the event log has it, except where the token may not publish', () => {
  const publish = (status: number) => audited({ route: 'POST /operator/events', caller: callerOf(null), status }).entries.length
  assert.deepEqual([202, 400, 401, 402, 403, 404].map(publish), [0, 0, 0, 0, 1, 0])
})

test('a call that only reads is in the log lines alone: dashboards would push entries out', () => {
  const { entries, lines } = audited({ route: 'GET /operator/deliveries', caller: callerOf('ops') })
  assert.deepEqual([entries, lines], [[], [['listDeliveries', 200, 'ops']]])
})

test('calls of clients are not audited', () => {
  assert.deepEqual(audited({ route: 'GET /2/webhooks', caller: callerOf('ops') }), { entries: [], lines: [] })
})

test('the audit log has the declared parameters of a query, and nothing of a body, cut to 500 characters', () => {
  const detailOf = (route: string, query: string) =>
    (audited({ route, caller: callerOf(null), target: '/operator/x?y', query }).entries as { detail: string }[])[0]!.detail
  assert.equal(detailOf('DELETE /operator/sessions', 'password=secret&user_id=7'), '/operator/x?user_id=7')
  assert.equal(detailOf('DELETE /operator/sessions', 'password=secret'), '/operator/x')
  assert.equal(detailOf('POST /operator/apps', 'name=secret'), '/operator/x')
  assert.equal(detailOf('DELETE /operator/sessions', `user_id=${'s'.repeat(1000)}`).length, 500)
})
