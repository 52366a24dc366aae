import { adsProblem, Problem } from '../declare/problem.ts'
import { adsErrors } from './ads-errors.ts'
import { CONTENT_TYPES, formText } from './body.ts'
import { lenientText } from './decode-text.ts'
import type { ParameterPolicy } from './parameter-policy.ts'

/** Parameters of the advertising hosts (§4.4): an empty value unsets what may be null, and what was sent is repeated (§2.4). */
export const adsPolicy: ParameterPolicy = {
  unknown: 'ignored',
  malformedText: 'named',
  emptyUnsets: true,
  echoes: true,
  // What is deleted may be named in a form too.
  textOf: (request, place) =>
    place === 'form' || request.method === 'DELETE'
      ? { source: formText(request), place: 'form' }
      : { source: request.query, place: 'query' },
  decodeText: lenientText,
  wrongMediaType(place) {
    const where = place === 'form' ? 'in the query, or in a body' : 'in a body'
    return new Problem('unsupported-media-type', { detail: `Send the parameters ${where} with content-type ${CONTENT_TYPES[place]}` })
  },
  invalidPath: (name) => adsProblem('INVALID_ID_ILLEGAL_CHARACTERS', `${name} in the path is not an id`),
  errors: adsErrors,
}
