import type { Logger } from 'pino'
import { webhookProblem } from '../../api/declare/problem.ts'
import type { Challenger } from '../../delivery/challenge/challenger.ts'
import { challengeSecrets } from '../../delivery/signing-secrets.ts'
import type { App } from '../../storage/apps.ts'

export interface ChallengeServices {
  challenger: Challenger
  logger: Logger
  now: () => number
}

/** What is refused if the challenge fails, and the callback that is challenged first. */
export interface Challenged {
  refused: 'registration' | 'replay'
  app: App
  url: string
}

/**
 * Challenges a callback before something is done with it. Answers the version of the consumer secret that signed the response.
 * @throws `CrcValidationFailed`. Operators find the whole reason in a log line, because no webhook has it.
 */
export async function assertChallenge({ refused, app, url }: Challenged, { challenger, logger, now }: ChallengeServices): Promise<number> {
  const result = await challenger.challenge({ url, secrets: challengeSecrets(app, now()), appId: app.id })
  if (result.passed) return app.secretVersion - result.secret
  logger.warn({ app_id: app.id, host: new URL(url).host, reason: result.details }, `${refused} refused: the challenge failed`)
  throw webhookProblem('CrcValidationFailed', result.reason)
}
