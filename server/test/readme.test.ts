import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { firstCommands } from '../src/endpoints/description/first-commands.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(resolve(root, path), 'utf8')

test('the commands in the README are those that the start prints for the demo app', () => {
  const [app] = JSON.parse(read('server/seeds/demo.json')).apps
  const origin = 'http://127.0.0.1:4000'
  const origins = { base_url: origin, operator_url: origin, ads_base_url: '', ads_sandbox_base_url: '' }
  const commands = firstCommands(origins, app.consumer_key, app.consumer_secret, '$(cat .postern/operator-token)')
  assert.ok(read('README.md').includes(commands), commands)
})

test('every page that the README links to exists', () => {
  for (const [, path] of read('README.md').matchAll(/\]\(([^)#]+)\)/g))
    assert.doesNotThrow(() => readFileSync(resolve(root, path!, path!.endsWith('/') ? '001-dependencies.md' : '')))
})

test('the README names the two commands', () => {
  for (const command of ['npm install && npm start', 'npm install && npm test']) assert.ok(read('README.md').includes(command))
})

/** The pictures that a page shows, each by its path from the root of the repository. A source of a `picture` needs no text of its own. */
function picturesOf(page: string): { path: string; needsText: boolean; text: string }[] {
  const source = read(page).replaceAll(/^```.*?^```$/gms, '')
  const path = (written = '') => join(dirname(page), written)
  const attribute = (attributes: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1]
  const html = [...source.matchAll(/<(img|source)\s([^>]*)>/g)].map(([, element, attributes = '']) => ({
    path: path(attribute(attributes, 'src') ?? attribute(attributes, 'srcset')),
    needsText: element === 'img',
    text: attribute(attributes, 'alt') ?? '',
  }))
  const markdown = [...source.matchAll(/!\[([^\]]*)\]\(([^)\s]+)/g)].map(([, text = '', to]) => ({ path: path(to), needsText: true, text }))
  return [...html, ...markdown]
}

test('every picture that a page shows exists and has a text instead, and every picture that there is is shown', () => {
  const pictures = ['README.md', ...globSync('docs/*.md', { cwd: root })].flatMap(picturesOf)
  for (const { path, needsText, text } of pictures) {
    assert.ok(existsSync(resolve(root, path)), path)
    assert.ok(!needsText || text.length > 20, `${path} needs a text for those who do not see it`)
  }
  const there = ['feed-dark', 'feed-light', 'way-dark', 'way-light'].map((name) => `docs/pictures/${name}.webp`)
  assert.deepEqual(globSync('docs/pictures/*', { cwd: root }).sort(), there)
  assert.deepEqual([...new Set(pictures.map(({ path }) => path))].sort(), there)
})
