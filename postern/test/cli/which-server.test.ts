// Which server a command acts on, and that it says so before it destroys.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { noteRunningServer, readRunningServer } from '../../../server/src/lib/running-server.ts'
import { call } from '../../../server/test/stage/call.ts'
import { OPERATOR_TOKEN, type Stage, setStage } from '../../../server/test/stage/postern.ts'
import { confirm } from '../../src/cli/confirm.ts'
import { addressesOf } from '../../src/kit/addresses.ts'
import { endCommands, MAIN, runCommand, startCommand } from './command.ts'

after(endCommands)

function newFolder() {
  const path = mkdtempSync(join(tmpdir(), 'postern-which-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const users = async ({ origins }: Stage): Promise<string[]> => {
  const { body } = await call(`${origins.operator_url}/operator/users?max_results=100`, 'GET', { token: OPERATOR_TOKEN })
  return body.data.map(({ username }: { username: string }) => username)
}

test('a server that is named is the one that is reset, whatever port the settings have for operators', async () => {
  await using meant = await setStage()
  await using other = await setStage({ environment: { POSTERN_OPERATOR_PORT: '0' } })
  for (const stage of [meant, other])
    await call(`${stage.origins.operator_url}/operator/seed`, 'POST', {
      token: OPERATOR_TOKEN,
      json: { users: [{ username: 'newcomer' }] },
    })
  const environment = { POSTERN_OPERATOR_PORT: new URL(other.origins.operator_url).port }
  const { code, stdout } = await runCommand(['reset', '--url', meant.origins.base_url], { environment })
  assert.equal(code, 0)
  assert.deepEqual([(await users(meant)).includes('newcomer'), (await users(other)).includes('newcomer')], [false, true])
  const named = new RegExp(
    `^Back to the seed: the Postern at ${meant.origins.base_url} \\(pid ${process.pid}, SQLite /.*/postern\\.db\\)\\.\n$`,
  )
  assert.match(stdout, named)
})

test('operator endpoints that are elsewhere are named', async () => {
  await using stage = await setStage({ environment: { POSTERN_OPERATOR_PORT: '0' } })
  const { base_url: url, operator_url } = stage.origins
  const without = await runCommand(['apps', 'list'], { url })
  assert.deepEqual([without.code, /GET \/operator\/apps is not there at/.test(without.stderr)], [1, true], without.stderr)
  assert.equal((await runCommand(['apps', 'list', '--operator-url', operator_url], { url })).code, 0)
  assert.equal((await runCommand(['apps', 'list'], { url, environment: { POSTERN_OPERATOR_URL: operator_url } })).code, 0)
  const wrong = await runCommand(['apps', 'list', '--operator-url', 'localhost'], { url })
  assert.deepEqual(
    [wrong.code, wrong.stderr],
    [2, '--operator-url must be an origin such as http://127.0.0.1:4000, and is localhost\nSee `postern apps list --help`.\n'],
  )
})

test('without an address the ports of the settings are used', () => {
  using folder = newFolder()
  const at = (environment: Record<string, string>) => addressesOf({}, environment, folder.path)
  assert.deepEqual(at({}), { url: 'http://127.0.0.1:4000', operatorUrl: 'http://127.0.0.1:4000' })
  assert.deepEqual(at({ POSTERN_PORT: '1', POSTERN_OPERATOR_PORT: '2' }), { url: 'http://127.0.0.1:1', operatorUrl: 'http://127.0.0.1:2' })
  assert.deepEqual(at({ POSTERN_URL: 'http://a:1', POSTERN_OPERATOR_PORT: '2' }), { url: 'http://a:1', operatorUrl: 'http://a:1' })
})

/** Resolves once a program has written a line that matches. */
async function said(program: ReturnType<typeof startCommand>, line: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of program.stdout) {
    text += chunk
    if (line.test(text)) return text
  }
  throw new Error(`it ended after ${text}`)
}

test('a server that was started in a folder is found there, on whatever port, until it has ended', async () => {
  using folder = newFolder()
  const ports = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0', POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const server = startCommand([], { cwd: folder.path, environment: ports })
  const text = await said(server, /"msg":"ready"/)
  const { base_url } = JSON.parse(text.split('\n').find((line) => line.includes('"ready"'))!)
  const file = join(folder.path, '.postern/server.json')
  const { started, ...noted } = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual(noted, { pid: server.pid, url: base_url, operator_url: base_url })
  assert.match(String(started), /^(\d+|null)$/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const found = await runCommand(['reset'], { cwd: folder.path })
  assert.match(
    found.stdout,
    new RegExp(`^Back to the seed: the Postern at ${base_url} \\(pid ${server.pid}, SQLite /.*/postern\\.db\\)\\.\n$`),
  )
  server.kill('SIGKILL')
  await once(server, 'close')
  const stale = await runCommand(['reset'], { cwd: folder.path, environment: { POSTERN_PORT: '1' } })
  assert.deepEqual([stale.code, /^No Postern answers at http:\/\/127\.0\.0\.1:1:/.test(stale.stderr)], [3, true], stale.stderr)
})

test('a program of `postern run` reaches the operator endpoints of the server that it is led to, wherever they are', async () => {
  using folder = newFolder()
  await using stage = await setStage({ environment: { POSTERN_OPERATOR_PORT: '0', POSTERN_DIALECT: 'x' } })
  const { base_url, operator_url } = stage.origins
  const print = [process.execPath, '-p', 'process.env.POSTERN_URL + " " + process.env.POSTERN_OPERATOR_URL']
  const printed = async (args: string[], environment: Record<string, string>) =>
    (await runCommand(['run', ...args, '--', ...print], { cwd: folder.path, environment })).stdout.trim().split(' ')
  const elsewhere = { POSTERN_OPERATOR_URL: operator_url }
  assert.deepEqual(await printed(['--url', base_url], elsewhere), [base_url, operator_url])
  const [url, operatorUrl] = await printed(['--fresh'], elsewhere)
  assert.deepEqual([operatorUrl, url === base_url], [url, false], 'its own server, not that of the environment')
})

test('a note of a server is believed only where this user alone can have written it, for a server of this machine that runs', () => {
  using folder = newFolder()
  const file = join(folder.path, 'server.json')
  const forget = noteRunningServer(folder.path, { url: 'http://127.0.0.1:4000', operator_url: 'http://127.0.0.1:4000' })!
  const noted = readRunningServer(folder.path)!
  assert.equal(noted.pid, process.pid)
  const believes = (change: object, mode = 0o600) => {
    writeFileSync(file, JSON.stringify({ ...noted, ...change }))
    chmodSync(file, mode)
    return readRunningServer(folder.path) !== undefined
  }
  assert.equal(believes({}), true)
  assert.equal(believes({}, 0o644), false)
  assert.equal(believes({ operator_url: 'https://example.com' }), false)
  assert.equal(believes({ url: 'http://10.0.0.1:4000' }), false)
  assert.equal(believes({ pid: 1 }), false)
  assert.equal(believes({ started: '1' }), false)
  assert.equal(believes({}), true)
  forget()
  assert.equal(readRunningServer(folder.path), undefined)
})

test('the token of the server in the folder goes to that server alone', async () => {
  using folder = newFolder()
  await using stage = await setStage()
  const own = { url: 'http://127.0.0.1:1', operator_url: 'http://127.0.0.1:1', operator_token: 'token-of-the-server-in-the-folder' }
  const forget = noteRunningServer(join(folder.path, '.postern'), own)!
  try {
    const environment = { POSTERN_OPERATOR_URL: stage.origins.operator_url }
    assert.equal((await runCommand(['apps', 'list'], { cwd: folder.path, environment })).code, 0)
  } finally {
    forget()
  }
})

test('a program of `postern run` knows the token of the server that runs in the folder', async () => {
  using folder = newFolder()
  await using stage = await setStage({ environment: { POSTERN_DIALECT: 'x' } })
  const { base_url: url, operator_url } = stage.origins
  const operator_token = 'token-of-the-server-in-the-folder'
  const forget = noteRunningServer(join(folder.path, '.postern'), { url, operator_url, operator_token })!
  try {
    const told = 'process.env.POSTERN_URL + " " + process.env.POSTERN_OPERATOR_TOKEN'
    const { stdout, stderr } = await runCommand(['run', '--', process.execPath, '-p', told], { cwd: folder.path })
    assert.equal(stdout, `${url} ${operator_token}\n`, stderr)
  } finally {
    forget()
  }
})

test('a server of `postern run` alone is found in its folder with its token, and leaves nothing', async () => {
  using folder = newFolder()
  const program = join(folder.path, 'program.mjs')
  // The program asks as another terminal would: without what `postern run` tells it.
  const script = `import { execFileSync } from 'node:child_process'
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('POSTERN_')))
process.stdout.write(execFileSync(process.execPath, [${JSON.stringify(MAIN)}, 'apps', 'list'], { env: environment }))`
  writeFileSync(program, script)
  const ran = startCommand(['run', '--fresh', '--', process.execPath, program], { cwd: folder.path })
  const [listed, told] = await Promise.all([ran.stdout.toArray(), ran.stderr.toArray()])
  assert.match(Buffer.concat(listed).toString(), /demo-consumer-key/)
  assert.match(
    Buffer.concat(told).toString(),
    /other `postern` commands in this folder find it; \.postern\/server\.json has its operator token\n/,
  )
  assert.throws(() => statSync(join(folder.path, '.postern/server.json')), { code: 'ENOENT' })
})

test('a person at a terminal is asked before everything is deleted, and a script is not', async () => {
  const terminal = (answer: string, isTTY = true) => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    input.write(answer)
    return { input: Object.assign(input, { isTTY }), output: Object.assign(output, { isTTY }) }
  }
  for (const answer of ['y\n', 'Yes\n']) assert.equal(await confirm('All of it goes.', terminal(answer)), true)
  const [ctrlC, ctrlD] = ['\x03', '\x04']
  for (const answer of ['\n', 'n\n', 'reset\n', ctrlC, ctrlD]) assert.equal(await confirm('All of it goes.', terminal(answer)), false)
  assert.equal(await confirm('All of it goes.', terminal('', false)), true)
  const asked = terminal('n\n')
  await confirm('All of it goes.', asked)
  asked.output.end()
  assert.match((await asked.output.toArray()).join(''), /All of it goes\. Go on\? \[y\/N\] /)
  const leaves = terminal(ctrlC)
  await confirm('All of it goes.', leaves)
  leaves.output.end()
  assert.match((await leaves.output.toArray()).join(''), /\n$/, 'what is said next begins a line')
})
