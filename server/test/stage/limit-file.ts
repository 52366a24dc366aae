import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The files of this process, by what is in them: servers with the same limits have the same setting. */
const files = new Map<string, string>()

function write(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'postern-limits-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'limits.json')
  writeFileSync(path, text)
  return path
}

/** The path of a file of overrides for POSTERN_RATE_LIMITS. */
export function limitFile(overrides: Record<string, number>): string {
  const text = JSON.stringify(overrides)
  const path = files.get(text) ?? write(text)
  files.set(text, path)
  return path
}
