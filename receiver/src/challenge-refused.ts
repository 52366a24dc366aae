import { Refusal } from './refusal.ts'

/** A challenge is not answered. `status` is 400 when its token does not look like one, 401 when its signature is of no secret. */
export class ChallengeRefused extends Refusal {
  override name = 'ChallengeRefused'
}
