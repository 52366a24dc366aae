/** The server and database of a URL, without its user and password. The driver accepts URLs that the standard does not. */
export function placeOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.host}${parsed.pathname}` : 'PostgreSQL'
}
