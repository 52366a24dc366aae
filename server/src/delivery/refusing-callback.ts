import { type DialectName, dialects } from '../api/declare/dialect.ts'
import type { Attempt } from '../storage/event-log.ts'

const SIGNATURE_HEADER = 'x-service-webhooks-signature'

/** A callback that answers so has probably refused the signature. */
const REFUSALS: readonly (number | null)[] = [401, 403]

const OTHER: Record<DialectName, DialectName> = { spec: 'x', x: 'spec' }

/**
 * What may be wrong with a callback that refuses events although it passed its challenge: it has another secret,
 * or looks for the header of the other dialect. Undefined for any other attempt.
 */
export function refusingCallback({ status }: Pick<Attempt, 'status'>, dialect: DialectName): string | undefined {
  if (!REFUSALS.includes(status)) return undefined
  const other = OTHER[dialect]
  const [sent, expected] = [dialect, other].map((name) => dialects[name].out(SIGNATURE_HEADER))
  return `If the callback refuses the signature: compare the consumer secret that it has with that of the app, and check that it signs the body as it came, byte by byte. The signature is in ${sent}. Only a callback that looks for ${expected} needs a server with POSTERN_DIALECT=${other}.`
}
