import { type OperatorToken, operatorRoles } from '../access/operator.ts'
import { secret, words } from './setting-readers.ts'

/** A name that an audit log and a shell show as it is. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/

const FORM = 'name:role:token'

/** `wrong` follows the place of the entry: neither the entry nor a part of it is repeated, because each may be the token. */
const mistake = (place: number, wrong: string) => new Error(`must be a comma-separated list of ${FORM}; entry ${place + 1} ${wrong}`)

function readEntry(entry: string, place: number): OperatorToken {
  const [name = '', role = '', ...rest] = entry.split(':')
  if (rest.length === 0) throw mistake(place, `is not of the form ${FORM}`)
  if (!NAME.test(name)) throw mistake(place, 'needs a name of 1 to 40 letters, digits, dots, dashes or underscores')
  const known = operatorRoles.find((one) => one === role)
  if (!known) throw mistake(place, `needs a role: ${operatorRoles.join(' or ')}`)
  try {
    return { name, role: known, token: secret(rest.join(':')) }
  } catch (error) {
    throw mistake(place, `has a token that ${(error as Error).message}`)
  }
}

/** The places of two entries that are alike, counted from one. */
function alike(values: readonly unknown[]): [first: number, second: number] | undefined {
  const second = values.findIndex((value, place) => values.indexOf(value) < place)
  return second < 0 ? undefined : [values.indexOf(values[second]) + 1, second + 1]
}

/** Operator tokens, each with a name and a role: `ci:read:<token>,ops:operate:<token>`. Throws an Error that repeats no token. */
export function operatorTokenList(text: string): OperatorToken[] {
  const entries = words(text)
  if (entries.length === 0) throw new Error(`must contain an operator token: ${FORM}`)
  const tokens = entries.map(readEntry)
  const sameName = alike(tokens.map(({ name }) => name))
  if (sameName) throw new Error(`must give each token a name of its own; entries ${sameName.join(' and ')} have the same`)
  const sameToken = alike(tokens.map(({ token }) => token))
  if (sameToken) throw new Error(`must hold each token once; entries ${sameToken.join(' and ')} have the same`)
  return tokens
}

/** All operator tokens: the one that has no name and may do everything, and the named ones. */
export const operatorTokensOf = (unnamed: string | undefined, named: readonly OperatorToken[] = []): OperatorToken[] => [
  ...(unnamed === undefined ? [] : [{ name: null, role: 'operate', token: unnamed } as const]),
  ...named,
]
