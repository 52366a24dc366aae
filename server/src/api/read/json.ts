import { USUAL_VALUES } from '../declare/host-limits.ts'
import { invalidRequest } from '../declare/problem.ts'
import { bodyText } from './body.ts'

const MAX_DEPTH = 64

const refuse = (message: string) => invalidRequest([{ message }])

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a

/** An odd number of backslashes before a quote makes it part of its string. */
function isEscaped(source: string, quote: number): boolean {
  let at = quote - 1
  while (source.charCodeAt(at) === BACKSLASH) at -= 1
  return (quote - at) % 2 === 0
}

/** Where the string literal that begins at `start` ends: the place of its closing quote, or the text's end. */
function endOfString(source: string, start: number): number {
  let end = source.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(source, end)) end = source.indexOf('"', end + 1)
  return end < 0 ? source.length : end
}

/** By how many levels each character outside of strings nests deeper. */
const STEPS: Record<number, number> = { 123: 1, 91: 1, 125: -1, 93: -1 }

const badText = (text: string) => (text.includes('\u0000') ? 'the character U+0000' : text.isWellFormed() ? undefined : 'a lone surrogate')

function checkText(text: string) {
  const found = badText(text)
  if (found) throw refuse(`The request body contains ${found}, which is not allowed in text.`)
}

function checkName(name: string) {
  if (name === '__proto__') throw refuse('The request body has a member `__proto__`, which no object may have.')
  if (name.includes('\\')) throw refuse('The request body has a member name with a backslash, which no object may have.')
  checkText(name)
}

/**
 * Refuses a member name with a backslash. Once `JSON.parse` of V8 14.6 has made an object with such a name it takes it for another one that
 * is written with escapes, in an object that begins alike: it compares the name with the source, not with what the escapes mean.
 */
function checkEscapedName(literal: string) {
  let name = ''
  try {
    name = JSON.parse(literal)
  } catch {
    // The parser says what is wrong.
  }
  checkName(name)
}

/**
 * How many members a JSON text has, repeated ones too. Throws when it is nested too deep, holds too many values, or lists and objects, or has
 * a name with a backslash, before anybody parses it.
 */
function countMembers(source: string, hasBackslash: boolean, { mostValues = USUAL_VALUES, mostContainers = Infinity }: JsonRules): number {
  let members = 0
  let containers = 0
  let commas = 0
  let depth = 0
  /** Where the string begins that a colon may follow, with which it is a name; -1 once one has. */
  let literal = -1
  for (let at = 0; at < source.length; at += 1) {
    const unit = source.charCodeAt(at)
    if (unit === QUOTE) {
      literal = at
      at = endOfString(source, at)
    } else if (unit === COLON) {
      members += 1
      if (hasBackslash && literal >= 0) {
        const written = source.slice(literal, at)
        if (written.includes('\\')) checkEscapedName(written)
      }
      literal = -1
    } else if (unit === COMMA) {
      commas += 1
    } else if (unit > COLON) {
      const step = STEPS[unit] ?? 0
      depth += step
      if (step > 0) containers += 1
    }
    // Each value but the first of a list or object follows a comma.
    if (commas + containers > mostValues) throw refuse(`The request body has more than ${mostValues} values.`)
    if (containers > mostContainers) throw refuse(`The request body has more than ${mostContainers} lists and objects.`)
    if (depth > MAX_DEPTH) throw refuse(`The request body is nested more than ${MAX_DEPTH} levels deep.`)
  }
  return members
}

/** What a value holds, as a member name or a text, that not every database keeps; undefined when it holds no such thing. */
export function badTextIn(value: unknown): string | undefined {
  let found: string | undefined
  JSON.stringify(value, (name, inner) => {
    found ??= badText(name) ?? (typeof inner === 'string' ? badText(inner) : undefined)
    return typeof inner === 'bigint' ? undefined : inner
  })
  return found
}

/** Checks every text and number of a parsed value and answers how many members it has. */
function inspect(value: unknown): number {
  if (typeof value === 'string') checkText(value)
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    throw refuse('The request body contains a number that is too large.')
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) members += inspect(item)
    return members
  }
  for (const name in value) {
    checkName(name)
    members += 1 + inspect((value as Record<string, unknown>)[name])
  }
  return members
}

/** Where the parser quotes the text around a mistake. */
const QUOTED_TEXT = /, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s

/** How a body is parsed. */
export interface JsonRules {
  /** Makes the value of the text; the default is `JSON.parse`. */
  parse?: ((source: string) => unknown) | undefined
  /** An error quotes nothing of such a body. */
  hasSecrets?: boolean | undefined
  /** With lists and objects; `USUAL_VALUES` by default. */
  mostValues?: number
  /** Each takes far more memory than its two characters. */
  mostContainers?: number
}

/**
 * Parses a JSON body strictly: UTF-8, at most 64 levels deep, no repeated member names, none with a backslash, no `__proto__`, no U+0000,
 * no lone surrogate, no number beyond a double, so that what was checked is what every database and every other reader of the same bytes
 * sees. Throws a Problem that says which it was.
 */
export function parseJson(bytes: Buffer, rules: JsonRules = {}): unknown {
  const { parse = JSON.parse, hasSecrets = false } = rules
  const source = bodyText(bytes)
  // Searched for in the bytes: a search in the text is one that the optimizer of V8 14.6 moves into the loop, and does again for each member.
  const members = countMembers(source, bytes.includes(BACKSLASH), rules)
  let value: unknown
  try {
    value = parse(source)
  } catch (error) {
    const { message } = error as Error
    const reason = hasSecrets ? message.replace(QUOTED_TEXT, '') : message
    throw refuse(`The request body is not valid JSON: ${reason.toWellFormed()}.`)
  }
  if (inspect(value) !== members) throw refuse('The request body repeats a member name within one object.')
  return value
}
