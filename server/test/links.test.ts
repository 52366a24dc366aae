import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const pages = globSync(['*.md', 'docs/**/*.md', 'postern/**/*.md', 'receiver/*.md', 'deploy/**/*.md'], {
  cwd: ROOT,
  exclude: (name) => /(^|\/)(node_modules|dist)(\/|$)/.test(String(name)),
})
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Without its code: what looks like a link or a heading there is none. */
const proseOf = (page: string) => read(page).replaceAll(/^```.*?^```$/gms, '')

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const anchorsOf = (page: string) => new Set([...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!)))

test('every link from a page to another file leads there, and to a heading where it names one', () => {
  assert.ok(pages.length > 50)
  const wrong = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\((?!https?:|mailto:|\/)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
      .filter(([, path, anchor]) => {
        const target = path === '' ? page : join(dirname(page), path!)
        if (!existsSync(join(ROOT, target))) return true
        return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)
      })
      .map(([link]) => `${page}: ${link}`),
  )
  assert.deepEqual(wrong, [])
})

/** They are printed from the code, or read by more than operators. */
const NOT_ONLY_OPERATORS = ['configuration.md', 'endpoints.md', 'benchmarks.md', 'console.md']

test('a page of the handbook of operators is shorter than 10 kB, so that it is read in one sitting', () => {
  const named = [...read('docs/operating.md').matchAll(/\]\(([\w-]+\.md)/g)].map(([, name]) => name!)
  const handbook = [...new Set(named)].filter((name) => !NOT_ONLY_OPERATORS.includes(name))
  assert.ok(handbook.length >= 12)
  const long = handbook.filter((name) => statSync(join(ROOT, 'docs', name)).size >= 10_000)
  assert.deepEqual(long, [])
})
