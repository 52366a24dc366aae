import { type Answer, call } from './call.ts'
import { authorization, type SigningCredentials } from './oauth-client.ts'
import type { Stage } from './postern.ts'
import { adas } from './signed-calls.ts'

interface Sent {
  credentials?: SigningCredentials
  contentType?: string
}

/** Sends a batch to the advertising host: a text as it is, anything else as JSON. */
export function sendBatch(
  stage: Stage,
  path: string,
  body: unknown,
  { credentials = adas, contentType = 'application/json' }: Sent = {},
): Promise<Answer> {
  const url = stage.publicOrigins.ads_base_url + path
  return call(stage.origins.ads_base_url + path, 'POST', {
    headers: {
      authorization: authorization({ ...credentials, method: 'POST', url, nowMs: stage.clock.now() }),
      'content-type': contentType,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** An operation of a batch. */
export const operation = (operation_type: string, params: object) => ({ operation_type, params })
