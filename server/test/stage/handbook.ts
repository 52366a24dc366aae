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

/** The ports of the processes that the nginx sample leads each public name to, the first process first. */
export function backends(nginx: string): Record<string, number[]> {
  const groups = new Map(
    [...nginx.matchAll(/^upstream (\w+) +\{(.*)\}$/gm)].map(([, name, servers]) => [
      name!,
      [...servers!.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port)),
    ]),
  )
  return Object.fromEntries([...nginx.matchAll(/^ +(\S+\.example\.com) +(\w+);$/gm)].map(([, name, group]) => [name!, groups.get(group!)!]))
}

/** The port of the first process that the nginx sample leads each public name to. */
export const upstreams = (nginx: string): Record<string, number> =>
  Object.fromEntries(Object.entries(backends(nginx)).map(([name, [port]]) => [name, port!]))
