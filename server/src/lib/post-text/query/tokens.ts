/** A token of the search language. `at` is its place in UTF-16 units. */
export type Token =
  | { kind: '(' | ')' | 'OR' | '-'; at: number; text: string }
  /** Text in quotes, without them. */
  | { kind: 'phrase'; at: number; text: string }
  | { kind: 'word'; at: number; text: string }
  /** `name:value`, where the value may stand in quotes. */
  | { kind: 'operator'; at: number; text: string; name: string; value: string }
  /** A quote that is not closed. */
  | { kind: 'open-quote'; at: number; text: string }

const token =
  /\s*(?:(?<bracket>[()])|(?<operator>[A-Za-z][A-Za-z_]*):(?:"(?<quoted>[^"]*)"|(?<value>[^\s()"]*))|"(?<phrase>[^"]*)"|(?<openQuote>")|(?<negation>-)(?=[^\s)])|(?<word>[^\s()"]+))/gy

function tokenOf({ 0: found, index, groups = {} }: RegExpExecArray): Token {
  const text = found.trimStart()
  const at = index + found.length - text.length
  const { bracket, operator, quoted, value, phrase, openQuote, negation } = groups
  if (bracket !== undefined) return { kind: bracket as '(' | ')', at, text }
  if (operator !== undefined) return { kind: 'operator', at, text, name: operator.toLowerCase(), value: quoted ?? value ?? '' }
  if (phrase !== undefined) return { kind: 'phrase', at, text: phrase }
  if (openQuote !== undefined) return { kind: 'open-quote', at, text }
  if (negation !== undefined) return { kind: '-', at, text }
  return text === 'OR' ? { kind: 'OR', at, text } : { kind: 'word', at, text }
}

/** The tokens of a query. Every text has some; the parser refuses what makes no sense. */
export const tokensOf = (query: string): Token[] => Array.from(query.matchAll(token), tokenOf)
