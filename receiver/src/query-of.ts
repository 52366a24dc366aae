/** The raw query string of a URL. A fetch Request keeps the fragment, which a server never receives. */
export function queryOf(url: string): string {
  const withoutFragment = url.split('#', 1)[0]!
  const start = withoutFragment.indexOf('?')
  return start < 0 ? '' : withoutFragment.slice(start + 1)
}
