import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, listOf, object } from '../../api/declare/words.ts'
import { faultSchema, faultView } from './fault-view.ts'
import type { Faults } from './faults.ts'

export const listFaults = endpoint({
  name: 'listFaults',
  route: 'GET /operator/faults',
  section: '§6',
  summary: 'List the faults with what they hit, oldest first; those that are spent too.',
  description: 'Development only.',
  auth: operator,
  params: {},
  answer: object({ data: listOf(faultSchema), meta: object({ result_count: integer({ min: 0 }) }) }),
  async handle(_call, { faults }: { faults: Faults }) {
    const all = faults.list()
    return { data: all.map(faultView), meta: { result_count: all.length } }
  },
})
