import type { Step } from '../../../src/delivery/send/explain-error.ts'
import { SendFailure } from '../../../src/delivery/send/outcome.ts'
import { InvalidResponse } from '../../../src/delivery/send/response/parsing.ts'

/** undici's code for a body that ended early, and for any mistake in the headers that it finds after a Content-Length. */
const LENGTH_MISMATCH = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
/** The parser's reason for a chunked body that ended early. */
const CUT_SHORT = 'Invalid EOF state'

/** Reasons for an invalid response, by the reason or the code of undici's error. */
const REASONS: Record<string, string> = {
  'bad response': 'it begins with 100 Continue, which was not asked for',
  'bad upgrade': 'it switches protocols, which was not asked for',
  'Expected HTTP/, RTSP/ or ICE/': 'it does not begin with HTTP/',
  ERR_ASSERTION: 'its status is not that of an answer',
  [LENGTH_MISMATCH]: 'its Content-Length, or a header after it, is malformed',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too long',
}

const codeOf = (error: Error) => String((error as NodeJS.ErrnoException).code ?? '')

/** The parser's message ends with its reason in brackets. */
const reasonOf = (error: Error) => /\(([^()]+)\)$/.exec(error.message)?.[1] ?? error.message

const closed = () => Object.assign(new Error('closed'), { code: 'ECONNRESET' })

/** An error of undici as our own connection would report it. */
export function translateError(error: Error, step: Step): Error {
  const code = codeOf(error)
  const reason = reasonOf(error)
  if (code === 'UND_ERR_INVALID_ARG') return new SendFailure('protocol', `the request has an ${error.message}`)
  if (reason === CUT_SHORT || (code === LENGTH_MISMATCH && step === 'reading')) return closed()
  const known = REASONS[reason] ?? REASONS[code]
  if (known) return new InvalidResponse(known)
  if (code === 'UND_ERR_SOCKET') return closed()
  return code.startsWith('HPE_') || reason !== error.message ? new InvalidResponse(reason) : error
}
