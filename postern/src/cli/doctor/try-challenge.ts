import { createHmac, randomBytes } from 'node:crypto'
import { ask, type Said, signatureOf } from './ask.ts'
import type { Patient } from './patient.ts'
import { advice, type Finding, mend, ok } from './step.ts'

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
  401: 'Answer challenges without asking for credentials.',
  403: 'Let the request in: a firewall, a CSRF check or a wrong secret stands before the answer.',
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

function checkAnswer({ token, said }: Challenge, { secret }: Patient): Finding {
  if ('error' in said) return mend(said.error, 'Answer every challenge within three seconds.')
  const { status, text, ms } = said
  if (status !== 200) return mend(`it answered ${status}`, STATUS_HELP[status] ?? 'Answer 200 with {"response_token":"sha256=…"}.')
  let answer: { response_token?: unknown } | null
  try {
    answer = JSON.parse(text)
  } catch {
    return mend(`its answer is not JSON: ${text.slice(0, 60)}`, 'Answer with {"response_token":"sha256=…"} and nothing else.')
  }
  const given = answer?.response_token
  if (typeof given !== 'string') return mend('response_token is missing in its answer', 'Answer with {"response_token":"sha256=…"}.')
  if (given !== signatureOf(secret, token))
    return mend(
      'response_token is wrong',
      guess(given, token, secret) ??
        'It is `sha256=` and the base64 of HMAC-SHA256 with the consumer secret as the key over crc_token. Is it the secret of this app?',
    )
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
