import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ParseError, printParseErrorCode } from 'jsonc-parser'
import { Problem } from '../../../api/declare/problem.ts'
import { badTextIn } from '../../../api/read/json.ts'
import { readJsonMembers } from '../../../api/read/json-body.ts'
import { parseCommentedJson } from '../../../lib/commented-json.ts'
import { type SeedDocument, seedKinds } from './seed-document.ts'

export interface ReadSeed {
  document: SeedDocument
  /** Of its text. */
  hash: string
  /** Sentences for the log. */
  warnings: string[]
}

/** The seed that comes with Postern. */
export const DEMO_SEED = join(import.meta.dirname, '../../../../seeds/demo.json')

/** Who can sign in with it; the seed holds the hash of the password, because making one takes longer than a start may. */
export const DEMO_USER = { username: 'ada', password: 'ada-in-development' }

/** The documents of the demo seed that were read. */
const demoSeeds = new WeakSet<SeedDocument>()

/** Whether a document is the demo seed as it comes with Postern: a test holds it against every rule, so that a start need not. */
export const isDemoSeed = (document: SeedDocument): boolean => demoSeeds.has(document)

/** A seed in the names of its schema. What is wrong is said as of one that is posted. */
function check(path: string, value: unknown) {
  try {
    return readJsonMembers(seedKinds, value)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { errors = [] } = error.members
    throw new Error(`the seed ${path} is invalid: ${errors.map(({ message }) => message).join('; ')}`)
  }
}

/**
 * Reads the text of a seed: JSON with comments and trailing commas. Throws an Error that names the seed, the place and the rule. The demo seed
 * is held against its schema and these rules by a test instead: making the check is a twelfth of a start.
 */
export function readSeedText(path: string, source: string, isChecked = path !== DEMO_SEED): SeedDocument {
  const errors: ParseError[] = []
  // The demo seed is plain JSON, which is parsed in a tenth of the time.
  const value: unknown = isChecked ? parseCommentedJson(source, errors) : JSON.parse(source)
  const [first] = errors
  if (first) {
    const line = source.slice(0, first.offset).split('\n').length
    throw new Error(`the seed ${path} is not JSON: ${printParseErrorCode(first.error)} in line ${line}`)
  }
  if (!isChecked) {
    demoSeeds.add(value as SeedDocument)
    return value as SeedDocument
  }
  const document = check(path, value) as SeedDocument
  const bad = badTextIn(value)
  if (bad) throw new Error(`the seed ${path} contains ${bad}, which is not allowed in text`)
  return document
}

/** Reads a seed file, as `readSeedText` does. */
export async function readSeed(path: string, isChecked = path !== DEMO_SEED): Promise<ReadSeed> {
  const source = await readFile(path, 'utf8').catch((error) => {
    throw new Error(`the seed ${path} cannot be read: ${error.message}`)
  })
  const document = readSeedText(path, source, isChecked)
  const warnings: string[] = []
  if (((await stat(path)).mode & 0o077) !== 0 && /secret|password/.test(source))
    warnings.push(`the seed ${path} contains secrets and is readable by other users: chmod 600 it`)
  return { document, hash: createHash('sha256').update(source).digest('base64url'), warnings }
}
