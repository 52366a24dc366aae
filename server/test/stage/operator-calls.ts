import { call } from './call.ts'
import type { Pair } from './pair.ts'
import type { Stage } from './postern.ts'
import { refusalOf, sendSigned, type Tampered } from './signed-calls.ts'

/** What every process that shares the database says. */
export const everywhere = <T>({ one, other }: Pair, ask: (stage: Stage) => Promise<T>): Promise<T[]> => Promise.all([one, other].map(ask))

/** What each process answers to a call with a bearer token of an app. */
export const bearerStatuses = (pair: Pair, token: string) =>
  everywhere(pair, async (stage) => (await stage.api('GET', '/2/webhooks', { token })).status)

/** What each process answers to a call that is signed with an access token: its status, and the code of a refusal. */
export const signedStatuses = (pair: Pair, credentials: Tampered) =>
  everywhere(pair, async (stage) => refusalOf(await sendSigned(stage, credentials)))

export const HOLDS = [
  [200, undefined],
  [200, undefined],
]
export const REVOKED = [
  [401, 89],
  [401, 89],
]

/** A call with another operator token than the one of the stage. */
export const asOperator = (stage: Stage, token: string, method: string, path: string, json?: unknown) =>
  call(stage.origins.operator_url + path, method, { token, json })

/** The audit log once it has an entry of this action. */
export const auditedWhen = (stage: Stage, action: string) =>
  stage.until(async () => {
    const { text, body } = await stage.operator('GET', '/operator/audit')
    return body.data.some((entry: { action: string }) => entry.action === action) && { text, entries: body.data }
  })
