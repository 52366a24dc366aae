import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

// Sections (§4.6) lead to docs/specification.md, and everything that is cited is in the repository.

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const SPECIFICATION = 'docs/specification.md'

const files = globSync(
  [
    '{server,postern,receiver}/{src,test,scripts}/**/*.ts',
    'bench/**/*.ts',
    'scripts/**/*.ts',
    'docs/**/*.md',
    '*.md',
    'postern/*.md',
    'receiver/*.md',
  ],
  { cwd: root, exclude: (path) => path.includes('node_modules') },
).sort()

/** The sections that a text cites. `RFC 9112 §9.6` and `ISO 14496-12 §8.8` are those of other documents. */
const sectionsOf = (text: string) =>
  [...text.matchAll(/(?<other>\b(?:RFC|ISO) [\d-]+ )?§(?<number>\d+(?:\.\d+)*)/g)].flatMap(({ groups }) =>
    groups!.other ? [] : [groups!.number!],
  )

/** Where text cites pages that only its writer had: `(facts, 2.3)`, `facts 2.3`. */
const citesFacts = (text: string) =>
  /\(facts\b|\bfacts, (?:section )?\d|\bfacts \d|\bthe facts\b(?= (?:name|say|and public))|\bshared pages?\b/i.test(text)

const headings = [...read(SPECIFICATION).matchAll(/^#{2,3} §(\d+(?:\.\d+)*) \S/gm)].map((match) => match[1]!)

test('finds cited sections and leaves those of other documents alone', () => {
  assert.deepEqual(sectionsOf('one (§4.6), two of §2.9 and §6; not RFC 9112 §9.6, not ISO 14496-12 §8.8.7. At the end §7.'), [
    '4.6',
    '2.9',
    '6',
    '7',
  ])
  for (const text of ['A post (facts, section 4.5).', '(facts, 2.3)', 'unless the facts name another']) assert.ok(citesFacts(text), text)
  assert.ok(!citesFacts('the table `facts` became `metadata`'))
})

test('every cited section has one heading in the specification', () => {
  const repeated = headings.filter((number, index) => headings.indexOf(number) !== index)
  assert.deepEqual(repeated, [], 'headings that stand twice')
  const cited = files.flatMap((path) => sectionsOf(read(path)).map((number) => ({ path, number })))
  assert.ok(cited.length > 400, `only ${cited.length} citations were found`)
  const lost = cited.filter(({ number }) => !headings.includes(number)).map(({ path, number }) => `${path} cites §${number}`)
  assert.deepEqual(lost, [], `${SPECIFICATION} has no such heading`)
})

test('no text cites pages that are not in the repository', () => {
  const here = 'server/test/specification.test.ts'
  const found = files.filter((path) => path !== here && citesFacts(read(path)))
  assert.deepEqual(found, [], `cite a section of ${SPECIFICATION} or a decision instead`)
})

test('every decision that is cited by its number exists', () => {
  const numbers = globSync('docs/decisions/*.md', { cwd: root }).map((path) => path.replace('docs/decisions/', '').slice(0, 3))
  const lost = files.flatMap((path) =>
    [...read(path).matchAll(/\bdecisions?(?:\/| )(\d{3})\b/g)]
      .filter((match) => !numbers.includes(match[1]!))
      .map((match) => `${path}: ${match[0]}`),
  )
  assert.deepEqual(lost, [])
})

test('links of the specification and the decisions lead to files', () => {
  const pages = globSync(['docs/specification.md', 'docs/decisions/*.md'], { cwd: root })
  const lost = pages.flatMap((path) =>
    [...read(path).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map((match) => join(dirname(path), match[1]!))
      .filter((link) => !existsSync(join(root, link))),
  )
  assert.deepEqual(lost, [])
})
