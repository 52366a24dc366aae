/** How many characters after the host are shown. */
const SHOWN_OF_PATH = 15

/** The URL with a scheme; `http` is what public practice assumes. */
export const expandedUrl = (url: string): string => (/^https?:\/\//i.test(url) ? url : `http://${url}`)

/** The URL as clients show it: without scheme and `www.`, with at most 15 characters after the host. */
export function displayUrl(url: string): string {
  const shown = url.replace(/^https?:\/\/(?:www\.)?|^www\./i, '')
  const [, host = '', rest = ''] = /^([^/?#]*)(.*)$/s.exec(shown)!
  const characters = [...rest]
  if (characters.length === 1 && rest === '/') return host
  return characters.length <= SHOWN_OF_PATH ? shown : `${host}${characters.slice(0, SHOWN_OF_PATH).join('')}…`
}
