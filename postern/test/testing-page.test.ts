// The snippets of docs/testing.md and of the README's section on tests, each run as it stands.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suite, test } from 'node:test'
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

/** Runs programs one after the other in one process, which must end by itself when the last one has. */
async function assertRun(codes: Record<string, string>) {
  using folder = programFolder()
  const paths = Object.entries(codes).map(([title, code], place) => [title, folder.write(`snippet-${place}.ts`, code)])
  const imports = paths.map(([title, path]) => `console.error(${JSON.stringify(title)})\nawait import(${JSON.stringify(path)})\n`)
  const { code: status, stderr } = await runNode([folder.write('all.ts', imports.join(''))], { cwd: folder.path })
  assert.equal(status, 0, stderr)
  for (const title of Object.keys(codes)) assert.ok(stderr.includes(title), stderr)
}

suite('docs/testing.md', () => {
  const [head, ...snippets] = snippetsOf('docs/testing.md')

  test('has a snippet in every section that says what the kit does', () => {
    assert.deepEqual(
      snippets.map(({ title }) => title),
      [
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
      ],
    )
  })

  test('every snippet runs as it stands', () =>
    assertRun(Object.fromEntries(snippets.map(({ title, code }, place) => [`${title}, snippet ${place + 1}`, `${head!.code}${code}`]))))
})

test('the test in the README runs as it stands', async () => {
  const snippets = snippetsOf('README.md')
  assert.deepEqual(
    snippets.map(({ title }) => title),
    ['Use it in a test'],
  )
  await assertRun({ README: snippets[0]!.code })
})
