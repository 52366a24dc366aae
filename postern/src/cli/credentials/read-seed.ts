import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type ParseError, printParseErrorCode } from 'jsonc-parser'
import { parseCommentedJson } from '../../../../server/src/lib/commented-json.ts'
import { Failure } from '../failure.ts'

/** The seed that a development server loads by default. */
export const DEMO_SEED = new URL('../../../../server/seeds/demo.json', import.meta.url)

interface SeededApp {
  name?: string
  consumer_key?: string
  consumer_secret?: string
}

export interface SeededToken {
  consumer_key: string
  user_id: string
  oauth_token: string
  oauth_token_secret: string
}

/** What commands read of a seed. */
export interface Seed {
  apps?: SeededApp[]
  users?: { id: string; username: string }[]
  tokens?: SeededToken[]
}

/** Reads a seed file, `-` for stdin: JSON with comments and trailing commas. */
export async function readSeedFile(path: string | URL): Promise<unknown> {
  const source = await (path === '-' ? text(process.stdin) : readFile(path, 'utf8')).catch((error: Error) => {
    throw new Failure(`The seed ${path} cannot be read: ${error.message}`)
  })
  const errors: ParseError[] = []
  const value = parseCommentedJson(source, errors)
  const [first] = errors
  if (first === undefined) return value
  const line = source.slice(0, first.offset).split('\n').length
  throw new Failure(`The seed ${path} is not JSON: ${printParseErrorCode(first.error)} in line ${line}.`)
}
