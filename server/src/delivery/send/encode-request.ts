import type { Request } from './connection-port.ts'
import { SendFailure } from './outcome.ts'

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Otherwise a value could add a header, or characters would be lost in Latin-1. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/
const NOT_IN_PATH = /[^\x21-\xff]/

function headerLines(headers: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!
    const value = headers[at + 1]!
    if (!NAME.test(name) || NOT_IN_VALUE.test(value)) throw new SendFailure('protocol', `the request has an invalid ${name} header`)
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

/** A request in one piece, so that it goes out with one write. Throws a `SendFailure` if a header or the path is invalid. */
export function encodeRequest(origin: string, { method, path, headers, body }: Request): Buffer {
  if (NOT_IN_PATH.test(path)) throw new SendFailure('protocol', 'the request has an invalid path')
  const length = body || method === 'POST' ? `content-length: ${body?.length ?? 0}\r\n` : ''
  const host = origin.slice(origin.indexOf('//') + 2)
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${headerLines(headers)}${length}\r\n`
  const bytes = Buffer.allocUnsafe(head.length + (body?.length ?? 0))
  bytes.write(head, 'latin1')
  if (body) bytes.set(body, head.length)
  return bytes
}
