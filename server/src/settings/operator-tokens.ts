import { type OperatorToken, operatorRoles } from '../access/operator-of.ts'
import { readEach } from './mistakes.ts'
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

/** Throws unless an entry's own part of it is the first of its value in the list. */
function assertFirst(values: readonly string[], place: number, rule: string) {
  const first = values.indexOf(values[place]!)
  if (first < place) throw new Error(`must ${rule}; entries ${first + 1} and ${place + 1} have the same`)
}

/** Operator tokens, each with a name and a role: `ci:read:<token>,ops:operate:<token>`. Throws an Error that names every bad entry and repeats no token. */
export function operatorTokenList(text: string): OperatorToken[] {
  const entries = words(text)
  if (entries.length === 0) throw new Error(`must contain an operator token: ${FORM}`)
  const names = entries.map((entry) => entry.split(':')[0]!)
  const tokens = entries.map((entry) => entry.split(':').slice(2).join(':'))
  return readEach(entries, (entry, place) => {
    const token = readEntry(entry, place)
    assertFirst(names, place, 'give each token a name of its own')
    assertFirst(tokens, place, 'hold each token once')
    return token
  })
}

/** All operator tokens: the one that has no name and may do everything, and the named ones. */
export const operatorTokensOf = (unnamed: string | undefined, named: readonly OperatorToken[] = []): OperatorToken[] => [
  ...(unnamed === undefined ? [] : [{ name: null, role: 'operate', token: unnamed } as const]),
  ...named,
]
