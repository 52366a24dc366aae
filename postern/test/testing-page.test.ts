// The snippets of docs/testing.md and of the README's section on tests, each run as it stands.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { programFolder, runNode } from './take-over/led-programs.ts'

const root = resolve(import.meta.dirname, '../..')

/** The TypeScript of each section of a page, in order. */
function snippetsOf(page: string): { title: string; code: string }[] {
  const sections = readFileSync(join(root, page), 'utf8').split(/^## /m)
  return sections.flatMap((section) => {
    const title = section.split('\n', 1)[0]!
    return [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => ({ title, code: code! }))
  })
}

test('docs/testing.md has a snippet in every section that says what the kit does, and the README one', () => {
  const [, ...titles] = snippetsOf('docs/testing.md').map(({ title }) => title)
  assert.deepEqual(titles, [
    'Your client',
    'Receive events',
    'Receive events',
    'Receive events',
    'Time',
    'Failures',
    'Failures',
    'Disorder',
    'Go back',
    'Tests in parallel',
    'What your client sent',
  ])
  assert.deepEqual(
    snippetsOf('README.md').map(({ title }) => title),
    ['Use it in a test'],
  )
})

test('every snippet runs as it stands, one after the other in one process, which ends by itself when the last one has', async () => {
  const [head, ...snippets] = snippetsOf('docs/testing.md')
  const codes = [...snippets.map(({ code }) => head!.code + code), snippetsOf('README.md')[0]!.code]
  using folder = programFolder()
  const imports = codes.map((code, place) => {
    const path = folder.write(`snippet-${place + 1}.ts`, code)
    return `console.error('snippet ${place + 1} of ${codes.length}')\nawait import(${JSON.stringify(path)})\n`
  })
  const { code: status, stderr } = await runNode([folder.write('all.ts', imports.join(''))], { cwd: folder.path })
  assert.equal(status, 0, stderr)
  assert.ok(stderr.includes(`snippet ${codes.length} of ${codes.length}`), stderr)
})
