import { invalidRequest } from './problem.ts'

const DEEPEST = 64

const refuse = (message: string) => invalidRequest([{ message }])

/** Matches each string literal of a JSON text in turn; the group matches when it is a member's name. */
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/gs

function countNames(source: string): number {
  let names = 0
  for (const match of source.matchAll(STRINGS)) if (match[1] !== undefined) names += 1
  return names
}

const badText = (text: string) => (text.includes('\u0000') ? 'the character U+0000' : text.isWellFormed() ? undefined : 'a lone surrogate')

function checkText(text: string) {
  const found = badText(text)
  if (found) throw refuse(`The request body holds ${found}, which no text may contain.`)
}

/** Checks every text of a parsed value and answers how many member names it has. */
function inspect(value: unknown, depth: number): number {
  if (typeof value === 'string') checkText(value)
  if (typeof value !== 'object' || value === null) return 0
  if (depth === DEEPEST) throw refuse(`The request body is nested more than ${DEEPEST} levels deep.`)
  let names = 0
  if (Array.isArray(value)) {
    for (const item of value) names += inspect(item, depth + 1)
    return names
  }
  for (const name of Object.keys(value)) {
    if (name === '__proto__') throw refuse('The request body has a member `__proto__`, which no object may have.')
    checkText(name)
    names += 1 + inspect((value as Record<string, unknown>)[name], depth + 1)
  }
  return names
}

/**
 * Parses a JSON body strictly: UTF-8, no repeated member names, no `__proto__`, no U+0000, no lone surrogate, so that what
 * was checked is what every database and every other reader of the same bytes sees. Throws a Problem that says which it was.
 */
export function parseJson(bytes: Buffer): unknown {
  let source: string
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse('The request body is not valid UTF-8.')
  }
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    throw refuse(`The request body is not valid JSON: ${(error as Error).message}.`)
  }
  if (inspect(value, 0) !== countNames(source)) throw refuse('The request body repeats a member name within one object.')
  return value
}
