import type { IncomingMessage } from 'node:http'

/** Why a body was not taken in; what is left of it is not read, so that its connection must end. */
export type BodyFault = 'too-large' | 'cut-off'

/** Reads the body of a request, as long as it is within a limit. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | BodyFault> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.resolve('too-large')
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    let size = 0
    const end = (result: Buffer | BodyFault) => {
      request.off('data', take).off('end', whole).off('error', cutOff).off('close', cutOff)
      resolve(result)
    }
    const take = (piece: Buffer) => {
      size += piece.length
      if (size > limitBytes) return end('too-large')
      pieces.push(piece)
    }
    const whole = () => end(Buffer.concat(pieces, size))
    const cutOff = () => end('cut-off')
    request.on('data', take).on('end', whole).on('error', cutOff).on('close', cutOff)
  })
}
