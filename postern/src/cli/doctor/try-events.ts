import { ask, type Said, signatureOf } from './ask.ts'
import { advice, type Finding, mend, ok, type Patient } from './step.ts'

/** An event must be answered within ten seconds (§4.2). */
const TIMEOUT_MS = 10_000
const SLOW_MS = 2000

const isSuccess = (said: Said) => 'status' in said && said.status >= 200 && said.status < 300

const sayAnswer = (said: Said) =>
  'error' in said ? said.error : `it answered ${said.status}${said.body.length === 0 ? '' : `: ${said.body.toString().slice(0, 80)}`}`

/** POSTs a body with a signature; undefined for none. */
const post = ({ url, signatureHeader, ca }: Patient, body: Buffer, signature: string | undefined) => {
  const headers = { 'content-type': 'application/json', ...(signature !== undefined && { [signatureHeader]: signature }) }
  return ask({ method: 'POST', url, headers, body, timeoutMs: TIMEOUT_MS, ca })
}

function refusal(said: Said, { signatureHeader }: Patient): Finding {
  const isRefused = 'status' in said && (said.status === 401 || said.status === 403)
  const help = isRefused
    ? `It refuses a right signature: is this the secret of its app, is the header ${signatureHeader} read, and is the raw body verified, not a parsed one?`
    : 'Answer 200 as soon as the event is kept; anything else is tried again.'
  return mend(sayAnswer(said), help)
}

/** A signed event. */
export async function tryEvent(patient: Patient): Promise<Finding> {
  const said = await post(patient, patient.event, signatureOf(patient.secret, patient.event))
  if (!isSuccess(said)) return refusal(said, patient)
  const answered = `${sayAnswer(said)}`
  return said.ms > SLOW_MS
    ? advice(`${answered}, but it took ${said.ms} ms`, 'Answer first and work later: after ten seconds the event is sent again.')
    : ok(answered)
}

/** The same event again: every event may come twice. */
export async function tryDuplicate(patient: Patient): Promise<Finding> {
  const said = await post(patient, patient.event, signatureOf(patient.secret, patient.event))
  return isSuccess(said)
    ? ok('the same event again is accepted')
    : advice(
        sayAnswer(said),
        'Accept an event that you have had with 200, and drop it by its event_uuid: otherwise it is sent again and again.',
      )
}

const ACCEPTED =
  'Verify the signature of every event in constant time, over the raw body, and answer 401 or 403 when it is wrong: otherwise anybody can send events.'

async function mustBeRefused(patient: Patient, body: Buffer, signature: string | undefined, what: string): Promise<Finding> {
  const said = await post(patient, body, signature)
  if (isSuccess(said)) return mend(`it accepts ${what}`, ACCEPTED)
  if ('error' in said) return advice(said.error, `Refuse ${what} with an answer, such as 403.`)
  return said.status >= 500
    ? advice(`${what} makes it answer ${said.status}`, 'Refuse it with 401 or 403: 500 reads as a bug.')
    : ok(`${what} is refused with ${said.status}`)
}

/** An event that another secret has signed. */
export const tryWrongSignature = (patient: Patient) =>
  mustBeRefused(patient, patient.event, signatureOf(`${patient.secret}-of-another-app`, patient.event), 'a signature of another secret')

/** A body that is not the one that was signed. */
export function tryAlteredBody(patient: Patient) {
  const altered = Buffer.from(patient.event.toString().replace(/\}$/, ',"altered":true}'))
  return mustBeRefused(patient, altered, signatureOf(patient.secret, patient.event), 'a body that was altered')
}

export const tryNoSignature = (patient: Patient) => mustBeRefused(patient, patient.event, undefined, 'an event without a signature')
