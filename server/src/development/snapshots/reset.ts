import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, object } from '../../api/declare/words.ts'

export const reset = endpoint({
  name: 'reset',
  route: 'POST /operator/reset',
  section: '§6',
  summary: 'Reset to the seed: delete everything else and reset the clock.',
  description: 'Development only. Calls of clients are not held back: one that is under way may see or change either state.',
  auth: operator,
  params: {},
  answer: object({ data: object({ reset: boolean() }) }),
  async handle(_call, { backToSeed }: { backToSeed: () => Promise<void> }) {
    await backToSeed()
    return { data: { reset: true } }
  },
})
