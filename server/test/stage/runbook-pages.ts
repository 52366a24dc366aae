import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCS = join(import.meta.dirname, '../../../docs')
/** docs/runbook.md and docs/runbook-apps.md. */
export const runbookPages = ['runbook.md', 'runbook-apps.md'].map((name) => readFileSync(join(DOCS, name), 'utf8'))

/** What is pasted from docs/runbook.md and docs/runbook-apps.md, by the section that has it. */
export const runbookSections: ReadonlyMap<string, string> = new Map(
  runbookPages.flatMap((page) => page.split(/^## /m).slice(1)).map((text) => [text.slice(0, text.indexOf('\n')), text]),
)
