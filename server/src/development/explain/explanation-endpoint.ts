import type { OperatorServices } from '../../access/operator.ts'
import type { JsonPage, Page } from '../../api/answer/page.ts'
import { noAuth } from '../../api/declare/auth.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../../api/declare/raw-request.ts'
import { anything, text } from '../../api/declare/words.ts'
import { explanationJson, explanationPage } from './explanation-page.ts'
import type { Explanations } from './explanations.ts'
import { isShownToSender } from './shown-to.ts'

interface Services extends OperatorServices {
  explanations: Explanations
}

const NOT_FOUND = 'There is no such explanation: the last 100 are kept, for 15 minutes.'

const wantsJson = (request: RawRequest) => /\bapplication\/json\b/i.test(headerOf(request, 'accept') ?? '')

export const explanation = endpoint({
  name: 'explanation',
  route: 'GET /oauth/explanations/:explanation_id',
  section: '§5.2',
  summary: 'Show the page that explains why a call was refused. Development only.',
  description:
    'Every response of 401 and 403, and some others, has its URL in `x-postern-explain`; of a rejected signature the log has it too. The page names the likely mistake and what to do. Of a rejected signature it shows the base string that the server built and the parameters it received. It shows no secret, no expected signature and no complete token. With `Accept: application/json` it is JSON. The last 100 explanations are kept for 15 minutes, and shown to clients of this machine alone, and to whoever sends an operator token as bearer token.',
  auth: noAuth,
  params: {
    explanation_id: text({ description: 'The last path segment of the URL in `x-postern-explain`.', example: 'Zm9yIHJlYWRlcnMgb25seQ' }),
  },
  answer: anything<Page | JsonPage>(),
  async handle({ params, request }, { explanations, ...services }: Services) {
    const found = (await isShownToSender(request, services)) ? await explanations.find(params.explanation_id) : undefined
    if (found) return wantsJson(request) ? explanationJson(found) : explanationPage(found)
    if (wantsJson(request)) return { status: 404, json: { errors: [{ code: 34, message: NOT_FOUND }] } }
    throw new Problem('not-found', { detail: NOT_FOUND })
  },
})
