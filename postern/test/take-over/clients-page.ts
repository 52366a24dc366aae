import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = join(import.meta.dirname, '../../../docs/clients.md')

/** A section of docs/clients.md: the file that it names, what that holds, what to run, and what is seen then. */
export interface Section {
  title: string
  file: string
  program: string
  commands: string[]
  seen: string
}

const blocksOf = (text: string, language: string) =>
  [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].filter(([, found]) => found === language).map(([, , block]) => block!)

/** The section of docs/clients.md with a title. */
export function sectionOf(title: string): Section {
  const page = readFileSync(PAGE, 'utf8')
  const text = page.split(/^## /m).find((section) => section.startsWith(`${title}\n`))
  if (!text) throw new Error(`docs/clients.md has no section ${title}`)
  return {
    title,
    file: /^`([\w.]+)`/m.exec(text)?.[1] ?? '',
    program: ['js', 'python', 'ts'].flatMap((language) => blocksOf(text, language))[0] ?? '',
    commands: blocksOf(text, 'sh').map((command) => command.trim()),
    seen: blocksOf(text, '')[0] ?? '',
  }
}
