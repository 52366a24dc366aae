import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const HANDBOOK = join(import.meta.dirname, '../../../docs/operating.md')

/** A fenced block of docs/operating.md. */
export interface Block {
  language: string
  text: string
}

/** All fenced blocks of docs/operating.md, in order. */
export const handbookBlocks = (): Block[] =>
  [...readFileSync(HANDBOOK, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }))

/** The only block in a language. */
export function blockIn(language: string): string {
  const [block, ...others] = handbookBlocks().filter((found) => found.language === language)
  if (!block || others.length > 0) throw new Error(`docs/operating.md has ${block ? 'several blocks' : 'no block'} of ${language}`)
  return block.text
}

/** The port that the nginx sample leads each public name to. */
export const upstreams = (nginx: string): Record<string, number> =>
  Object.fromEntries([...nginx.matchAll(/^\s+(\S+\.example\.com)\s+(\d+);$/gm)].map(([, name, port]) => [name!, Number(port)]))
