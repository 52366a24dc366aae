/**
 * The `crc_token` of a query, undefined unless it has exactly one. A `+` stands for itself: tokens have no spaces, so an
 * unescaped plus is a plus.
 */
export function crcToken(query: string): string | undefined {
  const tokens = query.split('&').filter((pair) => pair.startsWith('crc_token='))
  return tokens.length === 1 ? decoded(tokens[0]!.slice('crc_token='.length)) : undefined
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
