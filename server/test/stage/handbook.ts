import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCS = join(import.meta.dirname, '../../../docs')

/** The pages of docs/operating.md whose commands build on each other, in the order that it names them. */
const PAGES = ['install.md', 'proxy.md', 'apps.md', 'secure.md', 'operate.md']

const handbook = () => PAGES.map((page) => readFileSync(join(DOCS, page), 'utf8')).join('\n')

/** A fenced block of the handbook. */
export interface Block {
  language: string
  text: string
}

const blocksOf = (text: string): Block[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, block]) => ({
    language: language!,
    text: block!,
  }))

/** All fenced blocks of the handbook, in order. */
export const handbookBlocks = (): Block[] => blocksOf(handbook())

/** What docs/roles.md adds to the sample of a proxy. */
export const rolesBlock = (language: string): string =>
  blocksOf(readFileSync(join(DOCS, 'roles.md'), 'utf8')).find((block) => block.language === language)!.text

/** The only block in a language. */
export function blockIn(language: string): string {
  const [block, ...others] = handbookBlocks().filter((found) => found.language === language)
  if (!block || others.length > 0) throw new Error(`the handbook has ${block ? 'several blocks' : 'no block'} of ${language}`)
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
