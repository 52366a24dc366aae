import type { Random } from './random.ts'

/** A way to say how long a body is that is not the truth, or not one truth. Answers header lines and the bytes that follow them; `isCut` when more are promised. */
export type Framing = (body: Buffer, random: Random) => { lines: string[]; bytes: Buffer; isCut?: boolean }

const chunk = (body: Buffer, size = body.length.toString(16)) => Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n')])
const LAST = Buffer.from('0\r\n\r\n')
const CHUNKED = 'Transfer-Encoding: chunked'
const chunked = (...pieces: Buffer[]) => ({ lines: [CHUNKED], bytes: Buffer.concat(pieces) })

/** The right one comes among them, in chunks. */
export const framings: readonly Framing[] = [
  (body) => chunked(...(body.length > 0 ? [chunk(body)] : []), LAST),
  (body) => chunked(chunk(body, `${body.length.toString(16)};name="value"`), LAST),
  (body) => chunked(chunk(body), Buffer.from('0\r\nTrailer: x\r\nAuthorization: Bearer x\r\n\r\n')),
  (body) => ({ ...chunked(chunk(body, (body.length + 1).toString(16))), isCut: true }),
  (body) => chunked(chunk(body, 'zz'), LAST),
  (body) => chunked(chunk(body, 'ffffffffffffffffff'), LAST),
  (body) => chunked(chunk(body, '-1'), LAST),
  (body) => chunked(chunk(body, `0x${body.length.toString(16)}`), LAST),
  (body) => ({ lines: [`Content-Length: ${body.length + 1}`], bytes: body, isCut: true }),
  (body) => ({ lines: [`Content-Length: ${Math.max(0, body.length - 1)}`], bytes: body }),
  (body) => ({ lines: [], bytes: body }),
  (body) => ({ lines: [`Content-Length: ${body.length}`, `Content-Length: ${body.length + 1}`], bytes: body }),
  (body) => ({ lines: [`Content-Length: ${body.length}`, `Content-Length: ${body.length}`], bytes: body }),
  (body) => ({ lines: [`Content-Length: ${body.length}, ${body.length}`], bytes: body }),
  (body) => ({ lines: [`Content-Length: ${body.length}`, CHUNKED], bytes: Buffer.concat([chunk(body), LAST]) }),
  (body) => ({ lines: [CHUNKED, `Content-Length: ${body.length}`], bytes: Buffer.concat([chunk(body), LAST]) }),
  (body) => ({ lines: [CHUNKED, CHUNKED], bytes: Buffer.concat([chunk(body), LAST]) }),
  (body) => ({ lines: ['Transfer-Encoding: gzip, chunked'], bytes: Buffer.concat([chunk(body), LAST]) }),
  (body) => ({ lines: ['Transfer-Encoding: chunked, identity'], bytes: Buffer.concat([chunk(body), LAST]) }),
  (body) => ({ lines: ['Transfer-Encoding : chunked'], bytes: Buffer.concat([chunk(body), LAST]) }),
  (body, random) => ({
    lines: [`Content-Length: ${random.pick(['-1', '+5', '0x5', '5 5', '', '1e1', '99999999999999999999', '5;'])}`],
    bytes: body,
  }),
  (body) => ({ lines: [`Content-Length: ${body.length}`], bytes: Buffer.concat([body, Buffer.from('GARBAGE / \r\n\r\n')]) }),
  (body) => ({
    lines: [`Content-Length: ${body.length}`],
    bytes: Buffer.concat([body, Buffer.from('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')]),
  }),
]
