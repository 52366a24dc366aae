import { invalidRequest } from '../declare/problem.ts'
import { CONTENT_TYPES, formText } from './body.ts'
import { strictText } from './decode-text.ts'
import { generalErrors } from './general-errors.ts'
import type { ParameterPolicy } from './parameter-policy.ts'

/** Parameters where nothing but what is declared may be sent. */
export const jsonPolicy: ParameterPolicy = {
  unknown: 'refused',
  malformedText: 'refused',
  emptyUnsets: false,
  echoes: false,
  textOf: (request, place) => ({ source: place === 'form' ? formText(request) : request.query, place }),
  decodeText: strictText,
  wrongMediaType: (place) =>
    place === 'body' ? invalidRequest([{ message: `Requests with bodies must have content-type of ${CONTENT_TYPES.body}.` }]) : undefined,
  errors: generalErrors,
}

/** The same where parameters that are not declared are passed over. */
export const formPolicy: ParameterPolicy = { ...jsonPolicy, unknown: 'ignored' }

/** The same where parameters come in the body, as a form or as JSON, and never in the query, which is logged (RFC 6749, section 2.3.1). */
export const formOrJsonPolicy: ParameterPolicy = {
  ...formPolicy,
  formOrJson: true,
  textOf: (request) => ({ source: formText({ ...request, query: '' }), place: 'form' }),
}
