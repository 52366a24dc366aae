import type { Content, NewRelation, RelationPair } from '../../../../storage/content.ts'
import { lists, relationCounters } from '../../../../storage/content-tables.ts'
import { type ContentLoad, RELATIONS } from './content-load.ts'
import type { RelationSeed } from './relation-seeds.ts'

const nameOf = ({ relation, source, target }: RelationPair) => `${relation}:${source}:${target}`

/** The private lists among those that relations add members to. */
async function privateLists(content: Content, relations: readonly RelationPair[]): Promise<Set<string>> {
  const ids = new Set(relations.filter(({ relation }) => relation === 'list_member').map(({ source }) => source))
  const rows = await content.rows(lists, ['id', 'private'], [...ids])
  return new Set(rows.filter(([, isPrivate]) => isPrivate).map(([id]) => id as string))
}

/** Adds relations and counts those that are new. */
async function relate(load: ContentLoad, relations: readonly NewRelation[]): Promise<RelationPair[]> {
  const hidden = await privateLists(load.content, relations)
  return load.content.change(async (uncounted) => {
    const transaction = load.counting(uncounted)
    const created = await transaction.relateAll(relations)
    for (const pair of created)
      for (const { end, table, column, ofPublic } of relationCounters[pair.relation] ?? [])
        if (!ofPublic || !hidden.has(pair.source)) transaction.count(table, pair[end], column, 1)
    return created
  })
}

/** Adds relations whose reports nobody needs. */
export const addPairs = (load: ContentLoad, pairs: readonly RelationPair[]): Promise<void> =>
  load.inBatches(
    pairs,
    async (batch) => {
      const relations = batch.map((pair) => ({ ...pair, position: load.services.ids.next() }))
      await relate(load, relations)
    },
    RELATIONS,
  )

/** Adds the relations of a seed. Those of a list or a space are reported only if that is not new. */
export const addRelations = (
  load: ContentLoad,
  seeds: readonly RelationSeed[],
  newObjects: Readonly<Partial<Record<string, ReadonlySet<string>>>>,
): Promise<void> =>
  load.inBatches(
    seeds,
    async (batch) => {
      const relations = batch.map(({ relation, ends: [source, target] }) => ({ relation, source: source.key, target: target.key }))
      const positioned = relations.map((pair) => ({ ...pair, position: load.services.ids.next() }))
      const created = await relate(load, positioned)
      const names = new Set(created.map(nameOf))
      batch.forEach(({ reportedAs, isRecord, ends }, place) => {
        const isNew = names.delete(nameOf(relations[place]!))
        const id = `${ends[0].key}:${ends[1].key}`
        if (isRecord) load.report(reportedAs, isNew ? { id } : { id, differing: [] })
        else if (isNew && !ends.some(({ kind, key }) => newObjects[kind]?.has(key))) load.report(reportedAs, { id })
      })
    },
    RELATIONS,
  )
