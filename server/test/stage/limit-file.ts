import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file of overrides for POSTERN_RATE_LIMITS. */
export async function limitFile(overrides: Record<string, number>): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-limits-'))
  const path = join(folder, 'limits.json')
  await writeFile(path, JSON.stringify(overrides))
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}
