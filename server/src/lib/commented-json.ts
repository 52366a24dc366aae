import { type Node, type ParseError, parse, parseTree } from 'jsonc-parser'
import { wholeNumber } from './numbers.ts'

const OPTIONS = { allowTrailingComma: true }
/** Where a number may be beyond 2^53: what begins as one, and not the text of an id. */
const MANY_DIGITS = /[\s:,[/]-?\d{16}/

/** The value of a node of a text, whose whole numbers are exact. */
function exactValue(node: Node, source: string): unknown {
  const { type, value, children = [], offset, length } = node
  if (type === 'array') return children.map((item) => exactValue(item, source))
  if (type === 'object')
    return Object.fromEntries(children.map(({ children: [name, inner] = [] }) => [name!.value, exactValue(inner!, source)]))
  const literal = source.slice(offset, offset + length)
  return type === 'number' && /^-?\d+$/.test(literal) ? wholeNumber(literal) : value
}

/** Parses JSON with comments and trailing commas; whole numbers beyond 2^53 become bigints. What is wrong is added to `errors`. */
export function parseCommentedJson(source: string, errors: ParseError[]): unknown {
  if (!MANY_DIGITS.test(source)) return parse(source, errors, OPTIONS)
  const tree = parseTree(source, errors, OPTIONS)
  return tree && errors.length === 0 ? exactValue(tree, source) : undefined
}
