import { foldText } from '../words.ts'
import { operators, type Read, signs, wordsCondition } from './operators.ts'
import { type Condition, countAlternatives, countConditions, isCondition, type ParsedQuery, type UserCondition } from './query.ts'
import { type Token, tokensOf } from './tokens.ts'

/** Why a query is refused: a sentence, and the place in UTF-16 units. The parser catches it and answers a value. */
class Refusal extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** The operators that can be used; with `isOfText` those that need no more than the text. */
const supported = (isOfText: boolean): string =>
  Object.entries(operators)
    .filter(([, operator]) => !isOfText || operator.isOfText !== false)
    .map(([name]) => `${name}:`)
    .join(', ')

function readOperator(name: string, value: string, isOfText: boolean): Read {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined
  if (operator === undefined)
    return `'${name}:' is not a supported operator. Supported are ${supported(isOfText)}; put other text in quotes`
  if (value === '') return `${name}: must be followed directly by a value`
  const read = operator.read(value)
  if (!isOfText || typeof read === 'string') return read
  const isAllowed = typeof operator.isOfText === 'function' ? operator.isOfText(value) : operator.isOfText
  return isAllowed ? read : `${name}:${value} needs more than the text, and cannot be used here`
}

function readWord(text: string): Read {
  const sign = text.charAt(0).replace('＃', '#').replace('＠', '@')
  const kind = signs[sign]
  if (text === 'AND') return 'AND is what a space means: leave it out, or put it in quotes to look for the word'
  if (kind === undefined) return wordsCondition(text)
  const name = text.slice(1)
  return kind.isName(name)
    ? { kind: 'term', term: sign + foldText(name) }
    : `'${text}' is not ${kind.what}: put it in quotes to look for its words`
}

/** The condition that a token stands for. Throws a `Refusal` that says what is wrong with it. */
function readCondition(token: Token, isOfText: boolean): Exclude<Read, string> {
  const read =
    token.kind === 'operator'
      ? readOperator(token.name, token.value, isOfText)
      : token.kind === 'phrase'
        ? wordsCondition(token.text)
        : readWord(token.text)
  if (typeof read === 'string') throw new Refusal(read, token.at)
  return read
}

/** Whether a condition narrows a search enough to be used alone. */
const isStandalone = (condition: Condition | UserCondition): boolean => {
  if (condition.kind === 'atLeast') return false
  return condition.kind !== 'term' || !/^(?:has|is|lang):/.test(condition.term)
}

const firstCondition = (query: ParsedQuery): Condition | UserCondition => {
  if (isCondition(query)) return query
  return firstCondition(query.kind === 'not' ? query.of : query.of[0]!)
}

/**
 * The first condition of an alternative in which nothing narrows the search: no word, user or the like that is not negated. Undefined if
 * every alternative has one.
 */
function firstTooWide(query: ParsedQuery): Condition | UserCondition | undefined {
  if (isCondition(query)) return isStandalone(query) ? undefined : query
  if (query.kind === 'not') return firstCondition(query)
  if (query.kind === 'any') return query.of.map(firstTooWide).find((found) => found !== undefined)
  const found = query.of.map(firstTooWide)
  return found.includes(undefined) ? undefined : found[0]
}

/** The first `is:nullcast` that is not negated: public practice only allows to exclude such posts. */
function firstPositiveNullcast(query: ParsedQuery, isNegated = false): Condition | UserCondition | undefined {
  if (isCondition(query)) return !isNegated && query.kind === 'term' && query.term === 'is:nullcast' ? query : undefined
  if (query.kind === 'not') return firstPositiveNullcast(query.of, !isNegated)
  return query.of.map((part) => firstPositiveNullcast(part, isNegated)).find((found) => found !== undefined)
}

/** What is wrong with a query: a sentence, and the place in the query, in code points from 1. */
export interface QueryError {
  message: string
  position: number
}

/** The error in one sentence, for an answer. */
export const describeError = ({ message, position }: QueryError): string => `${message} (at position ${position})`

export interface ParseOptions {
  /** How many code points a query may have. */
  longest?: number
  /** Refuses operators that need more of a post than its text. */
  isOfText?: boolean
}

/** How many code points a query of the search endpoints may have. */
export const LONGEST_QUERY = 512

const MOST_CONDITIONS = 50
const MOST_ALTERNATIVES = 32
const DEEPEST_BRACKETS = 16
const STANDALONE = 'a word, a phrase, #, $, @, from:, to:, url: or conversation_id:'

interface State {
  tokens: readonly Token[]
  next: number
  depth: number
  isOfText: boolean
  /** The token of each condition, for errors. */
  tokenOf: Map<Condition | UserCondition, Token>
}

/** `( … )`; the bracket has been read. */
function parseGroup(state: State, bracket: Token): ParsedQuery {
  state.depth += 1
  if (state.depth > DEEPEST_BRACKETS) throw new Refusal(`brackets may be nested ${DEEPEST_BRACKETS} deep at most`, bracket.at)
  const next = state.tokens[state.next]
  if (next === undefined) throw new Refusal('this bracket is not closed', bracket.at)
  if (next.kind === ')') throw new Refusal('there is nothing between the brackets', bracket.at)
  const query = parseAny(state, bracket.at)
  if (state.tokens[state.next]?.kind !== ')') throw new Refusal('this bracket is not closed', bracket.at)
  state.next += 1
  state.depth -= 1
  return query
}

/** A condition or a group, negated or not. */
function parsePart(state: State): ParsedQuery {
  const token = state.tokens[state.next++]!
  if (token.kind === '(') return parseGroup(state, token)
  if (token.kind === 'open-quote') throw new Refusal('this quote is not closed', token.at)
  if (token.kind === '-') {
    const next = state.tokens[state.next]
    if (next === undefined || next.kind === '-' || next.kind === 'OR')
      throw new Refusal('- must stand directly before a word, a phrase, an operator or a group', token.at)
    return { kind: 'not', of: parsePart(state) }
  }
  const condition = readCondition(token, state.isOfText)
  state.tokenOf.set(condition, token)
  return condition
}

const combined = (kind: 'all' | 'any', of: ParsedQuery[]): ParsedQuery => (of.length === 1 ? of[0]! : { kind, of })

/** Parts that are joined by spaces, which means AND. */
function parseAll(state: State, from: number): ParsedQuery {
  const parts: ParsedQuery[] = []
  for (
    let token = state.tokens[state.next];
    token !== undefined && token.kind !== 'OR' && token.kind !== ')';
    token = state.tokens[state.next]
  )
    parts.push(parsePart(state))
  if (parts.length === 0) throw new Refusal('OR needs something to look for on both sides', state.tokens[state.next]?.at ?? from)
  return combined('all', parts)
}

/** Alternatives that are joined by OR, which binds less than a space. */
function parseAny(state: State, from: number): ParsedQuery {
  const parts = [parseAll(state, from)]
  while (state.tokens[state.next]?.kind === 'OR') {
    const or = state.tokens[state.next++]!
    parts.push(parseAll(state, or.at))
  }
  return combined('any', parts)
}

function checkConditions(query: ParsedQuery, { tokenOf }: State): void {
  const wide = firstTooWide(query)
  if (wide !== undefined) {
    const { text, at } = tokenOf.get(wide)!
    throw new Refusal(`'${text}' cannot stand alone: put ${STANDALONE} beside it that is not negated, in every alternative of OR`, at)
  }
  const nullcast = firstPositiveNullcast(query)
  if (nullcast !== undefined) throw new Refusal('is:nullcast can only be used negated, as -is:nullcast', tokenOf.get(nullcast)!.at)
  const conditions = countConditions(query)
  if (conditions > MOST_CONDITIONS) throw new Refusal(`a query may have ${MOST_CONDITIONS} conditions at most; this has ${conditions}`, 0)
  if (countAlternatives(query) > MOST_ALTERNATIVES)
    throw new Refusal(`the query is too complex: written out without brackets it has more than ${MOST_ALTERNATIVES} alternatives of OR`, 0)
}

function parseWhole(text: string, { longest = LONGEST_QUERY, isOfText = false }: ParseOptions): ParsedQuery {
  const length = text.length > longest ? [...text].length : text.length
  if (length > longest) throw new Refusal(`a query may have ${longest} characters at most; this has ${length}`, 0)
  const state: State = { tokens: tokensOf(text), next: 0, depth: 0, isOfText, tokenOf: new Map() }
  if (state.tokens.length === 0) throw new Refusal('the query is empty', 0)
  const query = parseAny(state, 0)
  const rest = state.tokens[state.next]
  if (rest !== undefined) throw new Refusal('this bracket closes nothing', rest.at)
  checkConditions(query, state)
  return query
}

/**
 * Parses the search language: words, "phrases", `#` `$` `@`, operators (`from:bob`), negation with `-`, AND by a space, OR, brackets.
 * Never throws: what is wrong is an error with a sentence and its place.
 */
export function parseQuery(text: string, options: ParseOptions = {}): { query: ParsedQuery } | { error: QueryError } {
  try {
    return { query: parseWhole(text, options) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { error: { message: error.message, position: [...text.slice(0, error.at)].length + 1 } }
  }
}
