import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runbookSections } from './stage/runbook-pages.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('every section of the runbook has a test that pastes its commands, and says what is over when', () => {
  const tests = globSync('server/test/slow/runbook/*.test.ts', { cwd: ROOT }).map(read).join('')
  assert.ok(runbookSections.size > 20)
  for (const [title, text] of runbookSections) {
    assert.ok(tests.includes(`row('${title}'`), title)
    if (title !== 'Look first')
      for (const part of ['See', 'Means', 'Do', 'Over']) assert.ok(text.includes(`**${part}:**`), `${title}: ${part}`)
  }
})

test('every alert is in the runbook', () => {
  const files = ['docs/metrics.md', 'deploy/prometheus/rules.yaml'].filter((path) => existsSync(join(ROOT, path)))
  const alerts = files.flatMap((path) => [...read(path).matchAll(/- alert: (\w+)/g)].map(([, name]) => name!))
  assert.ok(alerts.length >= 7)
  const text = [...runbookSections.values()].join('')
  assert.deepEqual(
    alerts.filter((name) => !text.includes(`\`${name}\``)),
    [],
  )
})
