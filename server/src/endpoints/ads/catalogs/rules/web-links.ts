export const MAX_URL = 2000
export const MAX_IMAGES = 10

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

const SHAPE = /^https?:\/\/[^\s/?#@\\]+(?:[/?#][^\s\\]*)?$/i

/** Whether a text is an absolute https URL. With `loopbackHttp`, one on loopback may be http. */
export function isHttpsUrl(text: string, loopbackHttp = false): boolean {
  if (text.length > MAX_URL || !SHAPE.test(text)) return false
  const url = URL.parse(text)
  if (!url || url.href.length > MAX_URL * 2) return false
  return url.protocol === 'https:' || (loopbackHttp && isLoopback(url.hostname))
}

/** URLs that are separated by commas. */
export const splitUrls = (text: string): string[] => text.split(',').map((url) => url.trim())

/** The URL of an image as it is fetched: two that differ only in their fragment are one. */
export function fetchedUrl(text: string): string {
  const url = new URL(text)
  url.hash = ''
  return url.href
}
