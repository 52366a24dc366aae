// The examples of the package for other test runners, each as its users run it.
import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { installPackage, run } from '../../../../postern/test/stage/installed-package.ts'

const root = resolve(import.meta.dirname, '../../../..')
const packages = resolve(import.meta.dirname, '../node_modules')

const installation = await installPackage()
after(() => installation[Symbol.dispose]())
const { folder: project, environment, link } = installation
link('twitter-api-v2')

const example = (name: string) => cpSync(join(root, 'postern/examples', name), join(project, name), { recursive: true })

test('the example of vitest passes', async () => {
  link('vitest', packages)
  example('vitest')
  const vitest = join(packages, 'vitest/vitest.mjs')
  const { stdout } = await run(process.execPath, [vitest, 'run', '--dir', 'vitest', '--testTimeout=60000'], {
    cwd: project,
    env: { ...environment, NO_COLOR: '1' },
  })
  assert.match(stdout, /Tests +2 passed/)
})

// jest brings an install script. vitest has the same functions, and takes a module with a setup and a teardown.
const JEST_IN_VITEST = `import setup from './jest/global-setup.js'
import teardown from './jest/global-teardown.js'
export { setup, teardown }
`

test('the example of jest passes with the same functions of vitest', async () => {
  example('jest')
  writeFileSync(join(project, 'jest-setup.js'), JEST_IN_VITEST)
  const config = { test: { globals: true, dir: 'jest', globalSetup: './jest-setup.js' } }
  writeFileSync(join(project, 'vitest.config.js'), `export default ${JSON.stringify(config)}\n`)
  const vitest = join(packages, 'vitest/vitest.mjs')
  const { stdout } = await run(process.execPath, [vitest, 'run', '--testTimeout=60000'], {
    cwd: project,
    env: { ...environment, NO_COLOR: '1' },
  })
  assert.match(stdout, /Tests +2 passed/)
})
