import { cutText } from '../../lib/text.ts'

/** The callback of an app that has no place to be called back at: the user carries a PIN. */
export const OUT_OF_BAND = 'oob'

/** Header values are ASCII; what is not is written as a URL would. */
const asciiOf = (url: string) => url.replace(/[^!-~]/gu, (char) => encodeURIComponent(char))

/** A callback with parameters added to its query, and nothing else changed. */
export function redirectUrl(callback: string, added: Record<string, string>): string {
  const at = callback.indexOf('#')
  const [place, fragment] = at < 0 ? [callback, ''] : [callback.slice(0, at), callback.slice(at)]
  const joint = !place.includes('?') ? '?' : /[?&]$/.test(place) ? '' : '&'
  return asciiOf(`${place}${joint}${new URLSearchParams(added)}${fragment}`)
}

/** The hosts that a policy can name: not IPv6, nor what would end the source. */
const NAMEABLE_HOST = /^[\w.-]+$/

/** The source of a content security policy that covers a callback: its origin, or the scheme where a policy can name no more. */
export function policySource(callback: string): string[] {
  if (callback === OUT_OF_BAND) return []
  const { protocol, origin, hostname } = new URL(callback)
  const isNamed = /^https?:$/.test(protocol) && NAMEABLE_HOST.test(hostname)
  return [isNamed ? origin : protocol]
}

/** Where a callback leads, for people. */
export const placeOf = (callback: string): string => {
  const { protocol, host } = new URL(callback)
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}

const MAX_QUOTE_LENGTH = 200

export const notRegistered = (parameter: string, sent: string): string =>
  `${parameter} is ${cutText(sent, MAX_QUOTE_LENGTH)}, which is not registered for this app.`

export const sayRegistered = (registered: readonly string[]): string =>
  registered.length === 0
    ? 'It has no callback URL.'
    : `Registered, and compared byte by byte, ${registered.length === 1 ? 'is' : 'are'}: ${registered.join(', ')}.`

/** The call that adds a callback to those of an app. */
export const howToAdd = (appId: string, registered: readonly string[], sent: string): string =>
  `To add it: PATCH /operator/apps/${appId} with ${JSON.stringify({ callback_urls: [...registered, cutText(sent, MAX_QUOTE_LENGTH)] })}.`
