import type { RunCommand } from '../command.ts'
import { readSeedFile } from '../credentials/read-seed.ts'
import { EXIT } from '../failure.ts'

interface Seeded {
  kind: string
  id: string
  fields?: string[]
}

/** `apps 2, users 1`: how many of each kind. */
function countKinds(items: readonly Seeded[]): string {
  const byKind = Map.groupBy(items, ({ kind }) => kind)
  return [...byKind].map(([kind, { length }]) => `${kind} ${length}`).join(', ') || 'nothing'
}

/** Posts a seed, and says what of it was created. */
export const runSeed: RunCommand = async ({ positionals: [path] }, { out, server }) => {
  const { data } = await server.operator('POST', '/operator/seed', { json: await readSeedFile(path!) })
  const { created, existing, differing } = data as Record<'created' | 'existing' | 'differing', Seeded[]>
  out.show({ data }, () => [
    `created: ${countKinds(created)}`,
    `existing: ${countKinds(existing)}`,
    ...differing.map(({ kind, id, fields = [] }) => `differs, and stays as it was: ${kind} ${id} (${fields.join(', ')})`),
  ])
  return EXIT.done
}
