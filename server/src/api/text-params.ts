import { cutText } from '../lib/cut-text.ts'
import { invalidRequest, type Mistake } from './problem.ts'

/** Where a parameter stood in the request. */
export type Place = 'query' | 'form' | 'path' | 'body'

function decode(piece: string): string | undefined {
  try {
    const text = decodeURIComponent(piece.replaceAll('+', ' '))
    return text.includes('\u0000') ? undefined : text
  } catch {
    return undefined
  }
}

/** What text parameters say, the first of each name; and what is wrong with them. */
export interface TextParams {
  found: Map<string, string>
  mistakes: Mistake[]
}

/** Reads `name=value&…` text. A broken percent-encoding, U+0000 or a repeated name is a mistake. */
export function readTextParams(source: string, place: 'query' | 'form'): TextParams {
  const found = new Map<string, string>()
  const mistakes: Mistake[] = []
  for (const piece of source.split('&')) {
    if (piece === '') continue
    const at = piece.indexOf('=')
    const name = decode(at < 0 ? piece : piece.slice(0, at))
    const value = at < 0 ? '' : decode(piece.slice(at + 1))
    if (name === undefined || value === undefined)
      mistakes.push({ message: `The ${place} parameter text [${cutText(piece, 100)}] is not valid percent-encoded UTF-8.` })
    else if (found.has(name))
      mistakes.push({
        message: `Duplicate parameters are not allowed: the \`${name}\` ${place}`,
        parameters: { [name]: [found.get(name)!, value] },
      })
    else found.set(name, value)
  }
  return { found, mistakes }
}

/** The same where any mistake is a refusal that names them all. */
export function parseTextParams(source: string, place: 'query' | 'form'): Map<string, string> {
  const { found, mistakes } = readTextParams(source, place)
  if (mistakes.length > 0) throw invalidRequest(mistakes)
  return found
}
