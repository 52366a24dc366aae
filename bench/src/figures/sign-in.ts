import { type Flavour, flavours, nameOf } from '../databases.ts'
import type { Figure, Line } from '../figure.ts'
import { processorOf } from '../interleave.ts'
import { median } from '../median.ts'
import { withSpread } from '../numbers.ts'
import type { Run } from '../run.ts'
import { LOGINS_IN_FLIGHT, type Look, measureLogins } from '../sign-in/measure-logins.ts'
import { BEARER_PATH, IN_FLIGHT, measureSigned, SIGNED_PATH } from '../sign-in/measure-signed.ts'

const LEAST_RATIO: Record<Flavour, number> = { sqlite: 0.6, postgres: 0.3 }

async function signedLine(flavour: Flavour, run: Run): Promise<Line> {
  const { signed, bearer } = await measureSigned(flavour, run)
  const ratio = signed.perSecond / bearer.perSecond
  return {
    what: `Signed \`GET ${SIGNED_PATH}\`/s, ${IN_FLIGHT} in flight, rate limits off, ${nameOf[flavour]}`,
    measured: signed.shown,
    limit: `${bearer.shown} \`GET ${BEARER_PATH}\` with a bearer token`,
    ratio,
    processor: processorOf(signed, bearer),
    aim: `ratio ≥ ${LEAST_RATIO[flavour]}`,
    isMet: ratio >= LEAST_RATIO[flavour],
  }
}

const shown = (values: readonly number[]) => withSpread(median(values), values)
const p99Of = (looks: readonly Look[]) => looks.map(({ p99Ms }) => p99Ms)

async function loginLine(flavour: Flavour, run: Run): Promise<Line> {
  const { alone, beside } = await measureLogins(flavour, run)
  const perSecond = shown(beside.map(({ loginsPerSecond }) => loginsPerSecond))
  return {
    what: `p99 of \`GET ${BEARER_PATH}\`, one client, beside ${perSecond} logins/s of ${LOGINS_IN_FLIGHT} clients, ${nameOf[flavour]}`,
    measured: `${shown(p99Of(beside))} ms`,
    limit: `${shown(p99Of(alone))} ms without logins`,
    aim: '–',
  }
}

export const signIn: Figure = {
  name: 'sign-in',
  limit: `A call that a user's token signs, each with a nonce of its own and signed before the look begins, against a call with a bearer token on the same Postern; the app has no webhooks. Logins are forms of the approval page, opened before the look begins, with a password hashed as every one is; verifying them takes all cores but one. The clients share the cores with the server.`,
  async measure(run) {
    const lines: Line[] = []
    for (const flavour of flavours) lines.push(await signedLine(flavour, run))
    for (const flavour of flavours) lines.push(await loginLine(flavour, run))
    return lines
  },
}
