import { browser } from '../../access/browser-session.ts'
import type { Page, Redirect } from '../../api/answer/page.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { anything, text } from '../../api/declare/words.ts'
import { type ApprovalServices, findAsked, namedByToken } from './approve.ts'
import { DECISION_DESCRIPTION, type DecisionServices, decide, decisionWords } from './decide.ts'

export const decideApproval = endpoint({
  name: 'decideApproval',
  route: 'POST /oauth/authorize',
  section: '§4.3',
  summary: 'Submit the approval form.',
  description: DECISION_DESCRIPTION,
  auth: browser,
  rateLimit: 450,
  params: { oauth_token: text({ max: 100, example: 'NPcudxy0yU5T3tBzho7iCotZ3cnetKwcTIRlX0iwRl0' }), ...decisionWords },
  answer: anything<Page | Redirect>(),
  handle({ params: { oauth_token, ...decision }, caller }, services: ApprovalServices & DecisionServices) {
    const find = () => findAsked(oauth_token, services)
    return decide(namedByToken(oauth_token), find, decision, caller, services)
  },
})
