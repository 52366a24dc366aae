import { randomBytes } from 'node:crypto'
import { TOKEN_FORM } from '../../../../server/src/delivery/challenge/challenge-steps.ts'
import { type CrcCheck, checkCrcResponse, OTHER_KEY } from '../../../../server/src/delivery/challenge/check-crc-response.ts'
import type { Question } from '../../../../server/src/delivery/challenge/wrong-tokens.ts'
import { ask, type Said, signatureOf } from './ask.ts'
import { advice, type Finding, mend, ok, type Patient } from './step.ts'

/** A challenge must be answered within three seconds (§4.2); one that takes a second is near that on a bad day. */
const TIMEOUT_MS = 3000
const SLOW_MS = 1000

const TOKEN_BYTES = 24
const newToken = () => `t${randomBytes(TOKEN_BYTES).toString('base64url')}`

interface Challenge extends Omit<Question, 'secrets'> {
  said: Said
}

/** Sends a challenge; `signedWith` is what the request itself is signed with. */
async function challenge({ url, signatureHeader, ca }: Patient, signedWith: string): Promise<Challenge> {
  const token = newToken()
  const nonce = newToken()
  const query = `crc_token=${token}&nonce=${nonce}`
  const target = new URL(url)
  target.search = target.search === '' ? query : `${target.search}&${query}`
  const headers = { accept: 'application/json', [signatureHeader]: signatureOf(signedWith, query) }
  return { token, nonce, query, url: target.href, said: await ask({ method: 'GET', url: target, headers, timeoutMs: TIMEOUT_MS, ca }) }
}

/** Those of a callback that verifies challenges and knows another secret. */
const mayBeOtherSecret = (status: number) => status === 401 || status === 403

const compareSecrets = ({ secretSource }: Patient) =>
  `Compare the secrets: the challenge is signed with that of ${secretSource}, and the callback must know the same.`

function adviceOn({ step, details }: CrcCheck & { passed: false }, status: number, patient: Patient): Pick<Finding, 'mend'> {
  if (details.endsWith(OTHER_KEY) || mayBeOtherSecret(status)) return { mend: compareSecrets(patient) }
  return step === 'signature' ? { mend: `Expected is ${TOKEN_FORM}.` } : {}
}

/** Judges an answer as the server does. */
function checkAnswer({ said, ...question }: Challenge, patient: Patient): Finding {
  if ('error' in said) return mend(said.error, 'Answer every challenge within three seconds.')
  const { status, headers, body, truncated, ms } = said
  const check = checkCrcResponse({ status, headers, body, truncated }, { ...question, secrets: [patient.secret] })
  if (!check.passed) return { outcome: 'mend', says: check.details, ...adviceOn(check, status, patient) }
  return ms > SLOW_MS
    ? advice(`right, but it took ${ms} ms`, 'Answer before any slow work: after three seconds the webhook is invalid.')
    : ok('the response token is right')
}

/** The challenge as the app's own. */
export const tryChallenge = async (patient: Patient): Promise<Finding> => checkAnswer(await challenge(patient, patient.secret), patient)

/** Another challenge: an answer that was kept from the first would be wrong. */
export async function tryAnotherChallenge(patient: Patient): Promise<Finding> {
  const finding = checkAnswer(await challenge(patient, patient.secret), patient)
  return finding.outcome === 'mend'
    ? { ...finding, mend: ['Compute each answer anew.', finding.mend].filter(Boolean).join(' ') }
    : ok('a second one is answered anew')
}

/** A challenge that is signed with another secret: to answer it is allowed, to refuse it safer. */
export async function tryForeignChallenge(patient: Patient): Promise<Finding> {
  const { said } = await challenge(patient, `${patient.secret}-of-another-app`)
  if ('error' in said) return advice(said.error, 'Answer a challenge that is signed wrongly too, with a refusal.')
  return ok(
    said.status === 200
      ? 'one with a wrong signature is answered, which is allowed'
      : `one with a wrong signature is refused with ${said.status}`,
  )
}
