import { createHmac, randomBytes } from 'node:crypto'
import { ask, type Said, signatureOf } from './ask.ts'
import { advice, type Finding, mend, ok, type Patient } from './step.ts'

/** A challenge must be answered within three seconds (§4.2); one that takes a second is near that on a bad day. */
const TIMEOUT_MS = 3000
const SLOW_MS = 1000

const TOKEN_BYTES = 24
const newToken = () => `t${randomBytes(TOKEN_BYTES).toString('base64url')}`

interface Challenge {
  token: string
  said: Said
}

/** Sends a challenge; `signedWith` is what the request itself is signed with. */
async function challenge({ url, signatureHeader, ca }: Patient, signedWith: string): Promise<Challenge> {
  const token = newToken()
  const query = `crc_token=${token}&nonce=${newToken()}`
  const target = new URL(url)
  target.search = target.search === '' ? query : `${target.search}&${query}`
  const headers = { accept: 'application/json', [signatureHeader]: signatureOf(signedWith, query) }
  return { token, said: await ask({ method: 'GET', url: target, headers, timeoutMs: TIMEOUT_MS, ca }) }
}

const STATUS_HELP: Record<number, string> = {
  401: 'Otherwise: answer challenges without asking for credentials.',
  403: 'Otherwise: let the request in, past a firewall or a CSRF check.',
  404: 'Answer GET at this path: the challenge goes to the same URL as the events.',
  405: 'Answer GET as well as POST at this URL.',
}

/** What a wrong token was made with, where that can be guessed. */
function guess(given: string, token: string, secret: string): string | undefined {
  const digest = (key: string, text: string) => createHmac('sha256', key).update(text)
  const made: [found: string, mistake: string][] = [
    [digest(secret, token).digest('base64'), 'Put `sha256=` before it.'],
    [`sha256=${digest(secret, token).digest('hex')}`, 'Write the digest in base64, not in hex.'],
    [digest(secret, token).digest('hex'), 'Write the digest in base64, not in hex, and put `sha256=` before it.'],
    [`sha256=${digest(secret, token).digest('base64url')}`, 'Use base64 with + / and =, not base64url.'],
    [signatureOf(token, secret), 'Swap key and text: the consumer secret is the key, crc_token the text.'],
    [signatureOf('', token), 'The consumer secret is empty: is its environment variable set?'],
    [signatureOf(`${secret}\n`, token), 'The consumer secret ends with a line break: trim it.'],
    [signatureOf(secret, ''), 'The text is empty: read crc_token from the query.'],
    [token, 'Sign crc_token instead of sending it back.'],
  ]
  return made.find(([found]) => found === given)?.[1]
}

/** Those of a callback that verifies challenges and knows another secret. */
const mayBeOtherSecret = (status: number) => status === 401 || status === 403

const sameSecret = ({ secretSource }: Patient) =>
  `Compare the secrets: the challenge is signed with that of ${secretSource}, and the callback must know the same.`

function refusedAnswer(status: number, patient: Patient): Finding {
  const help = STATUS_HELP[status] ?? 'Answer 200 with {"response_token":"sha256=…"}.'
  return mend(`it answered ${status}`, mayBeOtherSecret(status) ? `${sameSecret(patient)} ${help}` : help)
}

/** The form of a signature: 32 bytes in base64. */
const SIGNATURE = /^sha256=[A-Za-z0-9+/]{43}=$/

/** A token that is not right: with a mistake that is known, or well formed, and then of another secret most likely. */
function wrongToken(given: string, token: string, patient: Patient): Finding {
  const known = guess(given, token, patient.secret)
  const how = 'response_token is `sha256=` and the base64 of HMAC-SHA256 with the consumer secret as the key over crc_token.'
  if (known !== undefined) return mend('response_token is wrong', known)
  if (!SIGNATURE.test(given)) return mend('response_token is wrong', `${how} Is it the secret of this app?`)
  return mend(
    `response_token is signed with another secret than that of ${patient.secretSource}`,
    `${sameSecret(patient)} If they are: ${how}`,
  )
}

function checkAnswer({ token, said }: Challenge, patient: Patient): Finding {
  if ('error' in said) return mend(said.error, 'Answer every challenge within three seconds.')
  const { status, text, ms } = said
  if (status !== 200) return refusedAnswer(status, patient)
  let answer: { response_token?: unknown } | null
  try {
    answer = JSON.parse(text)
  } catch {
    return mend(`its answer is not JSON: ${text.slice(0, 60)}`, 'Answer with {"response_token":"sha256=…"} and nothing else.')
  }
  const given = answer?.response_token
  if (typeof given !== 'string') return mend('response_token is missing in its answer', 'Answer with {"response_token":"sha256=…"}.')
  if (given !== signatureOf(patient.secret, token)) return wrongToken(given, token, patient)
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
    ? { ...finding, mend: `Compute each answer anew. ${finding.mend}` }
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
