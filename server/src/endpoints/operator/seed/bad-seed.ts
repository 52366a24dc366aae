import { invalidRequest, type Problem } from '../../../api/declare/problem.ts'
import type { SeedKind } from './seed-document.ts'

/** A field of a seed has a value that cannot be loaded. */
export const badSeed = (kind: SeedKind, field: string, value: string, what: string): Problem =>
  invalidRequest([
    { message: `$.${kind}: ${[field, value, what].filter(Boolean).join(' ')}`, parameters: { [`${kind}.${field}`]: [value] } },
  ])

/** An id of a seed is another app's already. */
export const takenId = (kind: SeedKind, field: string, id: string): Problem =>
  invalidRequest([{ message: `$.${kind}.${field}: ${id} is that of something else already`, parameters: { [`${kind}.${field}`]: [id] } }])
