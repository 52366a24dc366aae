import type { OperatorServices } from '../../access/operator.ts'
import { assertFromConsole, isBrowserHere } from '../../access/operator-sessions.ts'
import { noAuth } from '../../api/declare/auth.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { begun, sessionAnswer } from '../../endpoints/operator/sessions.ts'

export const createLocalSession = endpoint({
  name: 'createLocalSession',
  route: 'POST /operator/local-session',
  section: '§6',
  summary: 'Sign a browser of this machine in to the console, without a token.',
  description:
    'Development only. The call must come from this machine, to a name of this machine, through no proxy, and from a page of this server.',
  auth: noAuth,
  params: {},
  answer: sessionAnswer,
  problems: ['forbidden'],
  async handle({ request, headers }, { operatorSessions, originOf }: OperatorServices) {
    const client = originOf(request)
    if (!isBrowserHere(request, client))
      throw new Problem('forbidden', { detail: 'Only a browser on the machine of the server begins a session without an operator token.' })
    assertFromConsole(request, client)
    return begun(operatorSessions.beginHere(request, client), headers)
  },
})
