import { foldText } from '../words.ts'
import { operators, type Read, signs, wordsCondition } from './operators.ts'
import { Refusal } from './refusal.ts'
import type { Token } from './tokens.ts'

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
export function readCondition(token: Token, isOfText: boolean): Exclude<Read, string> {
  const read =
    token.kind === 'operator'
      ? readOperator(token.name, token.value, isOfText)
      : token.kind === 'phrase'
        ? wordsCondition(token.text)
        : readWord(token.text)
  if (typeof read === 'string') throw new Refusal(read, token.at)
  return read
}
