import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
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
