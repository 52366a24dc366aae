import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'

const main = resolve(import.meta.dirname, '../src/cli/main.js')
const folder = mkdtempSync(join(tmpdir(), 'postern-command-'))
after(() => rmSync(folder, { recursive: true }))
const ports = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0' }

test('`postern` starts a server that goes on when nobody reads its log any more, and stops on SIGTERM', async () => {
  const child = spawn(process.execPath, [main], { cwd: folder, env: { ...process.env, ...ports } })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    let url = ''
    for await (const text of createInterface(child.stdout)) {
      const { msg, base_url } = JSON.parse(text)
      if (msg === 'ready') url = base_url
      if (url !== '') break
    }
    child.stdout.destroy()
    for (let calls = 0; calls < 5; calls++) assert.equal((await fetch(`${url}/2/webhooks`)).status, 401)
    assert.equal((await fetch(`${url}/openapi.json`)).status, 200)
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  } finally {
    child.kill('SIGKILL')
  }
})

test('an unknown command exits with 2 and says which there are', async () => {
  const child = spawn(process.execPath, [main, 'dance'], { cwd: folder })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const said = (await child.stderr.toArray()).join('')
  assert.match(said, /^postern has no command dance\. /)
  assert.match(said, /It has start, /)
  assert.equal(await ended, 2)
})

// What a request needs for the first time is loaded with it.
const LATER = /undici\/undici|\/(ajv|ajv-compiler|franc-min|csv-parse|sax|file-type)\//

test('`postern start` loads neither the client of `fetch` nor what only some requests need', async () => {
  const loaded = '[...process.moduleLoadList, ...Object.keys(createRequire("/").cache)]'
  const report = `import { createRequire } from "node:module"; process.on("exit", () => console.error(${loaded}.join("\\n")))`
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(report)}`, main, 'start'], {
    cwd: folder,
    env: { ...process.env, ...ports },
  })
  const said = child.stderr.toArray()
  try {
    for await (const text of createInterface(child.stdout)) if (JSON.parse(text).msg === 'ready') child.kill('SIGTERM')
    const names = (await said).join('').split('\n')
    assert.ok(names.some((name) => name.includes('/pino/')))
    assert.deepEqual(
      names.filter((name) => LATER.test(name)),
      [],
    )
  } finally {
    child.kill('SIGKILL')
  }
})
