import { SendFailure } from './outcome.ts'

/** Where an attempt stands. */
export type Step = 'resolving' | 'connecting' | 'handshaking' | 'waiting' | 'reading'

/** What an explanation may name. */
export interface Whereabouts {
  step: Step
  /** The host, and once known its address and port. */
  peer: string
}

/** OpenSSL's words for a handshake that failed, put so that they follow "failed: ". */
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
}

const CLOSED_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'])
/** undici reports an interim or unasked-for answer that it cannot follow as a socket error with one of these messages. */
const UNEXPECTED_ANSWERS = ['bad response', 'bad upgrade']

const codeOf = (error: Error) => String((error as NodeJS.ErrnoException).code ?? '')

/** The other side closed the connection, or it broke. */
export const isClosedByPeer = (error: Error): boolean => CLOSED_CODES.has(codeOf(error)) && !UNEXPECTED_ANSWERS.includes(error.message)

/** Which stage failed and why, for any error that an attempt ends with. */
export function explainError(error: Error, { step, peer }: Whereabouts): SendFailure {
  if (error instanceof SendFailure) return error
  if (codeOf(error).startsWith('ERR_SSL_') || step === 'handshaking') return explainHandshake(error, peer)
  if (step === 'resolving' || step === 'connecting') return explainConnecting(error, peer)
  if (isClosedByPeer(error)) return explainClosed(step, peer)
  if (codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW')
    return new SendFailure('protocol', `the headers of the answer from ${peer} are longer than 16 KB`)
  return new SendFailure('protocol', `the answer from ${peer} is not proper HTTP/1.1: ${error.message}`)
}

function explainHandshake(error: Error, peer: string): SendFailure {
  const { reason } = error as Error & { reason?: string }
  const known = reason && HANDSHAKE[reason]
  const closed = isClosedByPeer(error) ? 'the connection was closed in the middle of it' : undefined
  return new SendFailure('tls', `the TLS handshake with ${peer} failed: ${known || closed || reason || error.message}`)
}

/** An error of several addresses is refused only if all of them refused. */
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

const DOING: Record<Step, (peer: string) => string> = {
  resolving: (peer) => `resolving the name ${peer}`,
  connecting: (peer) => `connecting to ${peer}`,
  handshaking: (peer) => `doing the TLS handshake with ${peer}`,
  waiting: (peer) => `waiting for the answer's headers from ${peer}`,
  reading: (peer) => `reading the answer's body from ${peer}`,
}

/** The deadline passed, and what was being done then. */
export const explainTimeout = (timeoutMs: number, { step, peer }: Whereabouts): SendFailure =>
  new SendFailure('timeout', `no whole answer within ${timeoutMs} ms: it timed out while ${DOING[step](peer)}`)
