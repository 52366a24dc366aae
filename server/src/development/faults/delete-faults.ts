import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, object } from '../../api/declare/words.ts'
import type { Faults } from './faults.ts'

export const deleteFaults = endpoint({
  name: 'deleteFaults',
  route: 'DELETE /operator/faults',
  section: '§6',
  summary: 'Delete all faults.',
  description: 'Development only.',
  auth: operator,
  params: {},
  answer: object({ data: object({ deleted: integer({ min: 0, description: 'How many there were.' }) }) }),
  async handle(_call, { faults }: { faults: Faults }) {
    return { data: { deleted: faults.clear() } }
  },
})
