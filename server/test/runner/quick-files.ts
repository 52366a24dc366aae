import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Parts of the stage that make a test slow or need more than Node. */
const slowParts: [RegExp, string][] = [
  [/stage\/browser\.ts$/, 'a browser'],
  [/stage\/postgres-server\.ts$/, 'PostgreSQL'],
  [/stage\/postern\.ts$/, 'a whole server'],
]

/** Test files that take seconds: without them the quick run stays under a minute on two slow cores. */
const LONG = /\/test\/(delivery\/hourly-round|access\/(login-limits|credentials)|lib\/password|storage\/(list-plans|event-log))\.test\.ts$/

/** A call that asks for PostgreSQL by name; what runs on every database at hand asks for none. */
const ASKS_FOR_POSTGRES = /\(\s*'postgres'|flavour: 'postgres'/
const STARTS_PROCESSES = /from 'node:(child_process|worker_threads)'/

/** The text of a file and of the files of tests that it imports, directly or not. */
export function withImports(path: string, known = new Map<string, string>()): Map<string, string> {
  if (known.has(path)) return known
  const text = readFileSync(path, 'utf8')
  known.set(path, text)
  for (const [, name] of text.matchAll(/^(?:import|export)\b[^']*'(\.[^']+\.ts)'/gm)) {
    const imported = join(dirname(path), name!)
    if (imported.includes('/test/')) withImports(imported, known)
  }
  return known
}

/** What a test file needs besides Node and SQLite, each in one or two words. */
export function needsOf(file: string, root: string): string[] {
  const path = resolve(root, file)
  const texts = withImports(path)
  const parts = slowParts.filter(([part]) => [...texts.keys()].some((name) => part.test(name))).map(([, need]) => need)
  const asksForPostgres = ASKS_FOR_POSTGRES.test(texts.get(path)!)
  const startsProcesses = [...texts.values()].some((text) => STARTS_PROCESSES.test(text))
  return [...parts, ...(asksForPostgres ? ['PostgreSQL'] : []), ...(startsProcesses ? ['processes or threads'] : [])]
}

/** Why the quick run leaves a test file out, in one or two words; undefined when it does not. */
export function whySlow(file: string, root: string): string | undefined {
  if (/\/test\/journeys\//.test(file)) return 'journeys'
  return needsOf(file, root)[0] ?? (LONG.test(file) ? 'much work' : undefined)
}
