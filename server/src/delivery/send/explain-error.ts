import { SendFailure } from './outcome.ts'

/** The current step of an attempt. */
export type Step = 'resolving' | 'connecting' | 'handshaking' | 'waiting' | 'reading'

/** The step and the peer that an error message names. */
export interface AttemptPosition {
  step: Step
  /** The host; once known with address and port. */
  peer: string
}

/** OpenSSL's reasons for a failed handshake; they follow "failed: " in a sentence. */
const HANDSHAKE: Record<string, string> = {
  'wrong version number': 'what answers there does not speak TLS',
  'packet length too long': 'what answers there does not speak TLS',
  'unsupported protocol': 'it offers neither TLS 1.2 nor TLS 1.3',
  'tlsv1 alert protocol version': 'it offers neither TLS 1.2 nor TLS 1.3',
  'tlsv1 unrecognized name': 'it has no certificate for this name',
  'ssl/tls alert handshake failure': 'it has no certificate, or no cipher in common with us',
  'tlsv1 alert no application protocol': 'it does not offer HTTP/1.1',
  'tlsv13 alert certificate required': 'it asks for a client certificate, and callbacks are sent without one',
}

const UNREACHABLE: Record<string, string> = {
  ECONNRESET: 'the connection was reset at once',
  ETIMEDOUT: 'nothing answered',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  EMFILE: 'this server has no file descriptor left',
  ENFILE: 'the machine of this server has no file descriptor left',
}

/** The codes of a connection that the other side closed or reset. */
const CLOSED_CODES = new Set(['ECONNRESET', 'EPIPE'])

const codeOf = (error: Error) => String((error as NodeJS.ErrnoException).code ?? '')

/** Whether the other side closed the connection, at once or while it was written to. */
export const isClosedByPeer = (error: Error): boolean => CLOSED_CODES.has(codeOf(error))

/** Explains which stage failed and why, for any error of an attempt. */
export function explainError(error: Error, { step, peer }: AttemptPosition): SendFailure {
  if (error instanceof SendFailure) return error
  if (codeOf(error).startsWith('ERR_SSL_') || step === 'handshaking') return explainHandshake(error, peer)
  if (step === 'resolving' || step === 'connecting') return explainConnecting(error, peer)
  if (codeOf(error) !== '') return explainClosed(step, peer)
  return new SendFailure('protocol', `the response from ${peer} is not valid HTTP/1.1: ${error.message}`)
}

/** Headers are longer than the limit, including interim responses and trailers. */
export const headersTooLong = ({ peer }: AttemptPosition): SendFailure =>
  new SendFailure('protocol', `the headers of the response from ${peer} are longer than 16 KB`)

function explainHandshake(error: Error, peer: string): SendFailure {
  const { reason } = error as Error & { reason?: string }
  const known = reason && HANDSHAKE[reason]
  const closed = isClosedByPeer(error) ? 'the connection was closed in the middle of it' : undefined
  return new SendFailure('tls', `the TLS handshake with ${peer} failed: ${known || closed || reason || error.message}`)
}

/** With several addresses the connection was refused only if all of them refused. */
function explainConnecting(error: Error, peer: string): SendFailure {
  const codes = error instanceof AggregateError ? error.errors.map(codeOf) : [codeOf(error)]
  if (codes.every((code) => code === 'ECONNREFUSED')) {
    return new SendFailure('connection_refused', `the connection was refused by ${peer}: nothing listens there`)
  }
  const code = codes.find((one) => one !== 'ECONNREFUSED')!
  return new SendFailure('connection_failed', `no connection to ${peer}: ${UNREACHABLE[code] ?? (code || error.message)}`)
}

function explainClosed(step: Step, peer: string): SendFailure {
  const when = step === 'reading' ? 'in the middle of the answer' : 'before an answer came'
  return new SendFailure('connection_lost', `the connection was closed by ${peer} ${when}`)
}

const DOING: Record<Step | 'sending', (peer: string) => string> = {
  resolving: (peer) => `resolving the name ${peer}`,
  connecting: (peer) => `connecting to ${peer}`,
  handshaking: (peer) => `doing the TLS handshake with ${peer}`,
  sending: (peer) => `sending the request to ${peer}, which does not read it`,
  waiting: (peer) => `waiting for the answer's headers from ${peer}`,
  reading: (peer) => `reading the answer's body from ${peer}`,
}

/** Explains a timeout by the step at the deadline. `isSending`: the request was not completely sent. */
export const explainTimeout = (timeoutMs: number, { step, peer }: AttemptPosition, isSending: boolean): SendFailure => {
  const doing = DOING[step === 'waiting' && isSending ? 'sending' : step](peer)
  return new SendFailure('timeout', `timed out after ${timeoutMs} ms while ${doing}`)
}
