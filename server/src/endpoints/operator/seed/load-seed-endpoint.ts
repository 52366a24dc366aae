import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { listOf, object, oneOf, optional, text } from '../../../api/declare/words.ts'
import type { GiveWay } from '../../../lib/fair-turns.ts'
import type { SeedReport } from './load-seed.ts'
import { type SeedDocument, seededKinds, seedKinds } from './seed-document.ts'

const seeded = object({ kind: oneOf(seededKinds), id: text(), fields: optional(listOf(text())) })

export const loadSeed = endpoint({
  name: 'loadSeed',
  route: 'POST /operator/seed',
  section: '§2',
  summary: 'Load a seed: create the records that do not exist yet.',
  description:
    'Returns which records were created, which existed, and which exist but differ (with the fields). Existing records are never overwritten. A time is any of ISO 8601 with a zone, with or without fractions of a second.',
  auth: operator,
  bodyLimitBytes: 16 * 1024 * 1024,
  mostValues: Infinity,
  params: seedKinds,
  answer: object({
    data: object({ created: listOf(seeded), existing: listOf(seeded), differing: listOf(seeded) }),
  }),
  async handle({ params, giveWay }, { seed }: { seed: (document: SeedDocument, giveWay: GiveWay) => Promise<SeedReport> }) {
    return { data: await seed(params, giveWay) }
  },
})
