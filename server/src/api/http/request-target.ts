const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/** The path of a request target as sent: `/2/webhooks?a=b` and `http://host/2/webhooks` both name `/2/webhooks`. */
export function pathOf(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(ORIGIN, '')
  return path.split('?', 1)[0] || '/'
}
