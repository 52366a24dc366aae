import { fieldOf, keyOf, NEWEST_FIRST, type Records, type StoredRecord } from '../../storage/records.ts'
import type { AnyResource, Resource } from './resource.ts'

interface ShowServices {
  records: Pick<Records, 'get' | 'list'>
  now: () => number
}

/** The parents with these keys, maybe several times, where answers need them. */
export async function parentsOf(
  { needsParent, childOf }: AnyResource,
  parentKeys: readonly string[],
  scope: string,
  services: ShowServices,
) {
  if (!needsParent || !childOf) return undefined
  const { parent: parentType } = childOf
  const keys = [...new Set(parentKeys)]
  if (keys.length === 1) return new Map([[keys[0]!, await services.records.get(parentType, scope, keys[0]!, true)]])
  const asked = { scope: { [parentType.scope]: scope }, sort: [NEWEST_FIRST], withDeleted: true, limit: keys.length }
  const parents = await services.records.list(parentType, { ...asked, filters: [{ field: parentType.key, anyOf: keys }] })
  return new Map<string, StoredRecord | undefined>(parents.map((parent) => [keyOf(parentType, parent), parent]))
}

/** Records of one scope, as answers show them now. */
export async function showAll<R extends StoredRecord>(
  resource: Resource<R>,
  records: readonly R[],
  scope: string,
  services: ShowServices,
): Promise<Record<string, unknown>[]> {
  const parentKeyOf = (record: R) => fieldOf(record, resource.childOf?.by ?? '') as string
  const parents = await parentsOf(resource, records.map(parentKeyOf), scope, services)
  const parentOf = (record: R) => parents?.get(parentKeyOf(record))
  const loaded = await resource.load?.(records, scope, services)
  const nowMs = services.now()
  return records.map((record) => resource.present(record, nowMs, parents && parentOf(record), loaded?.get(keyOf(resource, record))))
}

/** A record, as answers show it now. */
export const show = async <R extends StoredRecord>(
  resource: Resource<R>,
  record: R,
  scope: string,
  services: ShowServices,
): Promise<Record<string, unknown>> => (await showAll(resource, [record], scope, services))[0]!
