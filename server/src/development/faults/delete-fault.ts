import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { boolean, id, object } from '../../api/declare/words.ts'
import type { Faults } from './faults.ts'

export const deleteFault = endpoint({
  name: 'deleteFault',
  route: 'DELETE /operator/faults/:fault_id',
  section: '§6',
  summary: 'Delete a fault: it hits nothing any more.',
  description: 'Development only.',
  auth: operator,
  params: { fault_id: id({ example: '1' }) },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { fault_id } }, { faults }: { faults: Faults }) {
    if (!faults.remove(fault_id)) throw new Problem('not-found', { detail: `There is no fault ${fault_id}.` })
    return { data: { deleted: true } }
  },
})
