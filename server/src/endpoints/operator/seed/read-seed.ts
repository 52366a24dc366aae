import { readFile, stat } from 'node:fs/promises'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { compileCheck } from '../../../api/params.ts'
import { type SeedDocument, seedSchema } from './seed-document.ts'

/** Kinds that a seed may name and this version does not have; they are left out, and said so. */
const KINDS_TO_COME = ['tokens', 'posts', 'media', 'accounts']

export interface ReadSeed {
  document: SeedDocument
  /** Sentences for the log. */
  warnings: string[]
}

/** Reads a seed file: JSON with comments and trailing commas. Throws an Error that names the file, the place and the rule. */
export async function readSeed(path: string): Promise<ReadSeed> {
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
  const { document, warnings } = withoutKindsToCome(value)
  const wrong = compileCheck(seedSchema)(document)
  if (wrong) throw new Error(`the seed ${path} is not one: ${wrong}`)
  if (((await stat(path)).mode & 0o077) !== 0 && /secret|password/.test(source))
    warnings.push(`the seed ${path} holds secrets and can be read by others: chmod 600`)
  return { document: document as SeedDocument, warnings }
}

function withoutKindsToCome(value: unknown): { document: unknown; warnings: string[] } {
  if (typeof value !== 'object' || value === null) return { document: value, warnings: [] }
  const skipped = KINDS_TO_COME.filter((kind) => kind in value)
  const document = Object.fromEntries(Object.entries(value).filter(([kind]) => !KINDS_TO_COME.includes(kind)))
  return { document, warnings: skipped.map((kind) => `the seed holds ${kind}, which this version does not have: left out`) }
}
