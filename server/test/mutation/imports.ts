import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const texts = new Map<string, string[]>()

/** The files of the repository that a file names in an import, at once or later; types are left out. */
function directImports(path: string): string[] {
  const known = texts.get(path)
  if (known) return known
  const text = readFileSync(path, 'utf8')
  const found = [...text.matchAll(/(?:^(?:import|export)\b(?! type )[^']*|\bimport\()'(\.[^']+\.ts)'/gm)].map(([, name]) =>
    join(dirname(path), name!),
  )
  texts.set(path, found)
  return found
}

/** Every file that a file imports, directly or not, with the number of imports between them. */
export function importsOf(path: string): Map<string, number> {
  const steps = new Map([[path, 0]])
  for (const [file, step] of steps) for (const imported of directImports(file)) if (!steps.has(imported)) steps.set(imported, step + 1)
  steps.delete(path)
  return steps
}
