import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, object } from '../../api/declare/words.ts'
import type { Ledger } from './ledger.ts'

export const deleteRequests = endpoint({
  name: 'deleteRequests',
  route: 'DELETE /operator/requests',
  section: '§6',
  summary: 'Forget the calls so far.',
  description: 'Development only.',
  auth: operator,
  params: {},
  answer: object({ data: object({ deleted: integer({ min: 0, description: 'How many there were.' }) }) }),
  async handle(_call, { ledger }: { ledger: Ledger }) {
    return { data: { deleted: ledger.clear() } }
  },
})
