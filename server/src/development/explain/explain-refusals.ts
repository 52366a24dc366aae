import { type ClientOriginOf, isShownTo } from '../../access/client-origin.ts'
import { pathOf, type RawRequest } from '../../api/declare/raw-request.ts'
import type { Why } from '../../api/declare/why.ts'
import type { Explain } from '../../api/serve.ts'
import { cutText } from '../../lib/text.ts'
import type { Explanation } from './explanation.ts'
import type { Explanations } from './explanations.ts'
import { maskOf } from './sent-secrets.ts'
import { explainPage, explainProblem } from './why-refused.ts'

/** The header with the URL of an explanation. */
export const EXPLAIN_HEADER = 'x-postern-explain'

const MAX_PATH_LENGTH = 500
const MAX_SENTENCE_LENGTH = 1000

interface Refused {
  request: RawRequest
  status: number
  why: Why
  atMs: number
}

/** What was found out beyond the reason; nothing if that failed, as it does while the database is away. */
async function moreOf({ more }: Why): Promise<readonly string[]> {
  try {
    return (await more?.()) ?? []
  } catch {
    return []
  }
}

async function explain({ request, status, why, atMs }: Refused): Promise<Explanation> {
  const mask = maskOf(request)
  const shown = (text: string, max: number) => cutText(mask(text), max)
  return {
    atMs,
    method: request.method,
    answer: `status ${status}`,
    path: shown(pathOf(request.target), MAX_PATH_LENGTH),
    sentences: [why.reason, ...(await moreOf(why))].map((sentence) => shown(sentence, MAX_SENTENCE_LENGTH)),
  }
}

export interface ExplainOptions {
  explanations: Explanations
  originOf: ClientOriginOf
  now: () => number
}

/**
 * Explains refused calls: the answer says the reason to whoever keeps a list of calls, and to a client of this machine where the explanation
 * is. A rejected signature has been explained before.
 */
export function createExplain({ explanations, originOf, now }: ExplainOptions): Explain {
  const refusal: Explain['refusal'] = (answer, request, why) => {
    const explainUrl = why.explainUrl ?? explanations.keep(explain({ request, status: answer.status, why, atMs: now() }))
    answer.refused = { reason: maskOf(request)(why.reason), explainUrl }
    if (isShownTo(originOf(request))) answer.headers[EXPLAIN_HEADER] = explainUrl
  }
  return { refusal, problem: explainProblem(refusal), page: explainPage(refusal) }
}
