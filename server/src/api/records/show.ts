import { NEWEST_FIRST, type Records, type StoredRecord } from '../../storage/records.ts'
import type { Params } from '../declare/words.ts'
import type { AnyResource, RecordOf, Resource } from './resource.ts'

interface ShowServices {
  records: Pick<Records, 'get' | 'list'>
  now: () => number
}

/** What records are parts of, by its id, where they are shown beside it. */
async function parentsOf({ needsParent, childOf }: AnyResource, records: readonly object[], scope: string, services: ShowServices) {
  if (!needsParent || !childOf) return undefined
  const ids = [...new Set((records as Record<string, string>[]).map((record) => record[childOf.by]!))]
  if (ids.length === 1) return new Map([[ids[0]!, await services.records.get(childOf.parent, scope, ids[0]!, true)]])
  const asked = { scope: { [childOf.parent.scope]: scope }, sort: [NEWEST_FIRST], withDeleted: true, limit: ids.length }
  const parents = await services.records.list(childOf.parent, { ...asked, oneOf: [{ field: 'id', values: ids }] })
  return new Map<string, StoredRecord | undefined>(parents.map((parent) => [parent.id, parent]))
}

/** Records of one scope, as answers show them now. */
export async function showAll<F extends Params, I extends Params>(
  kind: Resource<F, I>,
  records: readonly RecordOf<F & I>[],
  scope: string,
  services: ShowServices,
): Promise<Record<string, unknown>[]> {
  const parents = await parentsOf(kind, records, scope, services)
  const nowMs = services.now()
  return records.map((record) => kind.present(record, nowMs, parents?.get((record as Record<string, unknown>)[kind.childOf!.by] as string)))
}

/** A record, as answers show it now. */
export const show = async <F extends Params, I extends Params>(
  kind: Resource<F, I>,
  record: RecordOf<F & I>,
  scope: string,
  services: ShowServices,
): Promise<Record<string, unknown>> => (await showAll(kind, [record], scope, services))[0]!
