import type { Explanations } from '../../access/oauth1/explain/explanations.ts'
import type { Page } from '../../api/answer/page.ts'
import { noAuth } from '../../api/declare/auth.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { anything, text } from '../../api/declare/words.ts'
import { explanationPage } from './explanation-page.ts'

export const explanation = endpoint({
  name: 'explanation',
  route: 'GET /oauth/explanations/:explanation_id',
  section: '§5.2',
  summary: 'Show the page that explains why a signature was rejected. Development only.',
  description:
    'Every response to a rejected signature has its URL in `x-postern-explain`; the log has it too. The page names the likely mistake and shows the base string that the server built and the parameters it received; it shows no secret, no expected signature and no complete token. The last 100 pages are kept for 15 minutes.',
  auth: noAuth,
  params: {
    explanation_id: text({ description: 'The last path segment of the URL in `x-postern-explain`.', example: 'Zm9yIHJlYWRlcnMgb25seQ' }),
  },
  answer: anything<Page>(),
  async handle({ params }, { explanations }: { explanations: Explanations }) {
    const found = await explanations.find(params.explanation_id)
    if (found) return explanationPage(found)
    throw new Problem('not-found', { detail: 'There is no such explanation: the last 100 are kept, for 15 minutes.' })
  },
})
