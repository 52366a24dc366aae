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

const CLOSED_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])
/** undici's code for a body that ended early, and for any mistake in the headers that it finds after a Content-Length. */
const LENGTH_MISMATCH = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
/** The parser's reason for a chunked body that ended early. */
const CUT_SHORT = 'Invalid EOF state'

/** What is wrong with an answer, by the reason or the code of undici's error, put so that it follows "HTTP/1.1: ". */
const UNFOLLOWED: Record<string, string> = {
  'bad response': 'it begins with 100 Continue, which was not asked for',
  'bad upgrade': 'it switches protocols, which was not asked for',
  'Expected HTTP/, RTSP/ or ICE/': 'it does not begin with HTTP/',
  ERR_ASSERTION: 'its status is not that of an answer',
  [LENGTH_MISMATCH]: 'its Content-Length, or a header after it, is malformed',
}

const codeOf = (error: Error) => String((error as NodeJS.ErrnoException).code ?? '')

/** The parser's own reason stands in brackets at the end of its message. */
const reasonOf = (error: Error) => /\(([^()]+)\)$/.exec(error.message)?.[1] ?? error.message

/** The other side closed the connection, or it broke. */
export function isClosedByPeer(error: Error, step: Step): boolean {
  if (codeOf(error) === LENGTH_MISMATCH) return step === 'reading'
  return reasonOf(error) === CUT_SHORT || (CLOSED_CODES.has(codeOf(error)) && !(error.message in UNFOLLOWED))
}

/** Which stage failed and why, for any error that an attempt ends with. */
export function explainError(error: Error, { step, peer }: Whereabouts): SendFailure {
  if (error instanceof SendFailure) return error
  if (codeOf(error).startsWith('ERR_SSL_') || step === 'handshaking') return explainHandshake(error, peer)
  if (step === 'resolving' || step === 'connecting') return explainConnecting(error, peer)
  if (isClosedByPeer(error, step)) return explainClosed(step, peer)
  if (codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW') return headersTooLong({ step, peer })
  const reason = UNFOLLOWED[reasonOf(error)] ?? UNFOLLOWED[codeOf(error)] ?? reasonOf(error)
  return new SendFailure('protocol', `the response from ${peer} is not valid HTTP/1.1: ${reason}`)
}

/** Headers, of interim answers and trailers too, take more than is read of them. */
export const headersTooLong = ({ peer }: Whereabouts): SendFailure =>
  new SendFailure('protocol', `the headers of the response from ${peer} are longer than 16 KB`)

function explainHandshake(error: Error, peer: string): SendFailure {
  const { reason } = error as Error & { reason?: string }
  const known = reason && HANDSHAKE[reason]
  const closed = isClosedByPeer(error, 'handshaking') ? 'the connection was closed in the middle of it' : undefined
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

const DOING: Record<Step | 'sending', (peer: string) => string> = {
  resolving: (peer) => `resolving the name ${peer}`,
  connecting: (peer) => `connecting to ${peer}`,
  handshaking: (peer) => `doing the TLS handshake with ${peer}`,
  sending: (peer) => `sending the request to ${peer}, which does not read it`,
  waiting: (peer) => `waiting for the answer's headers from ${peer}`,
  reading: (peer) => `reading the answer's body from ${peer}`,
}

/** The deadline passed, and what was being done then. `isSending`: not all of the request was taken. */
export const explainTimeout = (timeoutMs: number, { step, peer }: Whereabouts, isSending: boolean): SendFailure => {
  const doing = DOING[step === 'waiting' && isSending ? 'sending' : step](peer)
  return new SendFailure('timeout', `timed out after ${timeoutMs} ms while ${doing}`)
}
