import { invalidRequest } from '../../../api/declare/problem.ts'

/** Schemes that a browser would not leave the page with, or would run something of (public practice). */
const REFUSED = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'view-source:',
  'filesystem:',
  'ws:',
  'wss:',
  'mailto:',
  'tel:',
])

/** Why a text cannot be the callback of an app; undefined when it can. It is compared to the byte, so it is never rewritten. */
function wrongIn(callback: string): string | undefined {
  if (/[\s\p{Cc}]/u.test(callback)) return 'must not hold white space or control characters'
  if (!URL.canParse(callback)) return 'must be an absolute URL'
  const { protocol, username, password } = new URL(callback)
  if (REFUSED.has(protocol)) return `must not have the scheme ${protocol}`
  return username || password ? 'must not hold a user name or password' : undefined
}

/** Throws `invalid-request` when one of an app's callbacks cannot be one. */
export function assertCallbacks(callbacks: readonly string[]): void {
  const mistakes = callbacks.flatMap((callback, place) => {
    const wrong = wrongIn(callback)
    return wrong === undefined ? [] : [{ message: `$.callback_urls.${place}: ${wrong}`, parameters: { callback_urls: [callback] } }]
  })
  if (mistakes.length > 0) throw invalidRequest(mistakes)
}
