/** The scheme of an Authorization header in lower case, and all that follows it. */
export function schemeAndCredentials(header = ''): [scheme: string, credentials: string] {
  const [, scheme = '', credentials = ''] = /^(\S*) *(.*)$/.exec(header) ?? []
  return [scheme.toLowerCase(), credentials]
}

/** A text without its percent-encoding, as clients send keys, secrets and tokens either way; as it is where it is not valid encoding. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Name and password of an `Authorization: Basic` header, each percent-encoded or not. Undefined for anything else, and for U+0000 in one. */
export function nameAndPassword(header: string | undefined): { name: string; password: string } | undefined {
  const [scheme, credentials] = schemeAndCredentials(header)
  if (scheme !== 'basic' || !/^[\w+/-]*=*$/.test(credentials)) return undefined
  const text = Buffer.from(credentials, 'base64').toString('utf8')
  const at = text.indexOf(':')
  const [name, password] = [text.slice(0, at), text.slice(at + 1)]
  const hasNull = [name, password].some((part) => percentDecoded(part).includes('\u0000'))
  return at < 0 || hasNull ? undefined : { name, password }
}

/** Whether a text has white space at its beginning or end. */
export const isPadded = (text: string): boolean => text.trim().length < text.length

export const PADDED = 'It has white space at its beginning or end, as a text that was read from a file. Trim it.'
