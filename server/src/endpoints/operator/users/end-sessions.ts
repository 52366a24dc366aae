import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { id, integer, object } from '../../../api/declare/words.ts'
import type { SessionStore } from '../../../storage/sessions.ts'

export const endSessions = endpoint({
  name: 'endSessions',
  route: 'DELETE /operator/sessions',
  section: '§4.3',
  summary: 'End the sessions of a user at the approval page.',
  description: 'The user has to give the password again. Access tokens stay.',
  auth: operator,
  params: { user_id: id({ example: '9' }) },
  answer: object({ data: object({ ended: integer({ min: 0 }) }) }),
  async handle({ params: { user_id } }, { sessions, now }: { sessions: SessionStore; now: () => number }) {
    return { data: { ended: await sessions.removeOf(user_id, now()) } }
  },
})
