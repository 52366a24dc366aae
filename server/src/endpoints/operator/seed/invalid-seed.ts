import { invalidRequest, type Problem } from '../../../api/declare/problem.ts'

/** 400 `invalid-request`: a field of a seed has a value that cannot be loaded; `what` follows the field and the value in the message. */
export const invalidSeed = (kind: string, field: string, value: string, what: string): Problem =>
  invalidRequest([
    { message: `$.${kind}: ${[field, value, what].filter(Boolean).join(' ')}`, parameters: { [`${kind}.${field}`]: [value] } },
  ])

/** 400 `invalid-request`: an id of a seed belongs to something else already. */
export const takenId = (kind: string, field: string, id: string): Problem =>
  invalidRequest([
    { message: `$.${kind}.${field}: the id ${id} is already in use by another record`, parameters: { [`${kind}.${field}`]: [id] } },
  ])
