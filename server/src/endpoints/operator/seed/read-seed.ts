import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { badTextIn } from '../../../api/json.ts'
import { compileCheck } from '../../../api/params.ts'
import { leftOutOf, type SeedDocument, seedSchema } from './seed-document.ts'

export interface ReadSeed {
  document: SeedDocument
  /** Sentences for the log. */
  warnings: string[]
}

/** The seed that comes with Postern. */
export const DEMO_SEED = join(import.meta.dirname, '../../../../seeds/demo.json')

/** Who can sign in with it; the seed holds the hash of the password, because making one takes longer than a start may. */
export const DEMO_USER = { username: 'ada', password: 'ada-in-development' }

/**
 * Reads a seed file: JSON with comments and trailing commas. Throws an Error that names the file, the place and the rule. The demo seed is
 * held against its schema by a test instead: making the check is a twelfth of a start.
 */
export async function readSeed(path: string, isChecked = path !== DEMO_SEED): Promise<ReadSeed> {
  const errors: ParseError[] = []
  const source = await readFile(path, 'utf8').catch((error) => {
    throw new Error(`the seed ${path} cannot be read: ${error.message}`)
  })
  const value: unknown = parse(source, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) {
    const line = source.slice(0, first.offset).split('\n').length
    throw new Error(`the seed ${path} is not JSON: ${printParseErrorCode(first.error)} in line ${line}`)
  }
  const wrong = isChecked ? compileCheck(seedSchema)(value) : undefined
  if (wrong) throw new Error(`the seed ${path} is not one: ${wrong}`)
  const bad = badTextIn(value)
  if (bad) throw new Error(`the seed ${path} holds ${bad}, which no text may contain`)
  const document = value as SeedDocument
  const warnings = leftOutOf(document).map((kind) => `the seed holds ${kind}, which this version does not have: left out`)
  if (((await stat(path)).mode & 0o077) !== 0 && /secret|password/.test(source))
    warnings.push(`the seed ${path} holds secrets and can be read by others: chmod 600`)
  return { document, warnings }
}
