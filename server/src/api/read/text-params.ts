import { cutText } from '../../lib/text.ts'
import { invalidRequest, type Mistake } from '../declare/problem.ts'

/** Where a parameter stood in the request. */
export type Place = 'query' | 'form' | 'path' | 'body'

function decode(piece: string): string | undefined {
  try {
    return decodeURIComponent(piece.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** What text parameters say, the first of each name; and what is wrong with them. */
export interface TextParams {
  found: Map<string, string>
  mistakes: Mistake[]
  /** Names that came twice. */
  repeated: Mistake[]
}

/** Reads `name=value&…` text. A broken percent-encoding, U+0000, `__proto__` or a repeated name is a mistake. */
export function readTextParams(source: string, place: 'query' | 'form'): TextParams {
  const found = new Map<string, string>()
  const mistakes: Mistake[] = []
  const repeated: Mistake[] = []
  for (const piece of source.split('&')) {
    if (piece === '') continue
    const at = piece.indexOf('=')
    const name = decode(at < 0 ? piece : piece.slice(0, at))
    const value = at < 0 ? '' : decode(piece.slice(at + 1))
    if (name === undefined || value === undefined)
      mistakes.push({ message: `The ${place} parameter text [${cutText(piece, 100)}] is not valid percent-encoded UTF-8.` })
    else if (`${name}${value}`.includes('\u0000'))
      mistakes.push({
        message: `The \`${cutText(name.replaceAll('\u0000', ''), 100)}\` ${place} parameter holds U+0000.`,
        parameters: { [name]: [] },
      })
    else if (name === '__proto__') mistakes.push({ message: `The ${place} parameter \`__proto__\` is not allowed.`, parameters: {} })
    else if (found.has(name))
      repeated.push({
        message: `Duplicate parameters are not allowed: the \`${name}\` ${place} parameter`,
        parameters: { [name]: [found.get(name)!, value] },
      })
    else found.set(name, value)
  }
  return { found, mistakes, repeated }
}

/** The same where any mistake is a refusal that names them all. */
export function parseTextParams(source: string, place: 'query' | 'form'): Map<string, string> {
  const { found, mistakes, repeated } = readTextParams(source, place)
  if (mistakes.length + repeated.length > 0) throw invalidRequest([...mistakes, ...repeated])
  return found
}
