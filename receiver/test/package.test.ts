import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { buildPackage } from '../../scripts/build-package.ts'
import { receiverPackage } from '../../scripts/packages.ts'
import { SECRET, signed } from './stage/signed.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-receiver-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** The PATH without the Node that runs the tests, as somebody who installs the package has it. */
const systemPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((path) => !path.includes('node_modules') && path !== dirname(process.execPath))
  .join(delimiter)

function run(command: string, args: string[], cwd: string, path = process.env.PATH) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, PATH: path } })
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`)
  return stdout
}

/** A project of somebody else, with the package installed from its tarball and no registry. */
async function installed(): Promise<string> {
  const built = join(folder, 'built')
  await buildPackage({ ...receiverPackage(), out: built })
  const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], built))
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}')
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], project)
  return project
}

const project = await installed()

const module = (entry: string) => pathToFileURL(join(project, `node_modules/@postern/receiver/src/${entry}.js`)).href

/** A program that receives a challenge and an event over a socket, and one that gets them as Requests. */
const programs = {
  'node:http': `
    import { createServer } from 'node:http'
    import { createReceiver } from '@postern/receiver'
    const events = []
    const receiver = createReceiver({ secrets: [process.argv[2]], onEvent: (event) => void events.push(event.data.event_uuid) })
    const server = createServer(receiver.node)
    server.listen(0, '127.0.0.1', async () => {
      const url = 'http://127.0.0.1:' + server.address().port
      await report((path, init) => fetch(url + path, init), events)
      server.close()
      server.closeAllConnections()
    })`,
  fetch: `
    import { createReceiver } from '@postern/receiver/fetch'
    const events = []
    const receiver = createReceiver({ secrets: [process.argv[2]], onEvent: (event) => void events.push(event.data.event_uuid) })
    await report((path, init) => receiver.fetch(new Request('https://callback.example' + path, init)), events)`,
}

const REPORT = `
    async function report(send, events) {
      const challenge = await send('/webhook?crc_token=0123456789abcdef')
      const { response_token } = await challenge.json()
      const statuses = []
      for (const signature of [process.argv[4], process.argv[4], 'sha256=' + 'A'.repeat(43) + '=']) {
        const headers = { 'x-service-webhooks-signature': signature }
        statuses.push((await send('/webhook', { method: 'POST', headers, body: process.argv[3] })).status)
      }
      console.log(JSON.stringify({ node: process.versions.node, response_token, statuses, events }))
    }`

const EVENT = '{"data":{"event_uuid":"1","event_type":"dm.received","payload":{}}}'

/** Node 20 or newer of the machine, and the one that runs the tests. */
function nodes(): string[] {
  const { stdout } = spawnSync('node', ['-p', 'process.execPath'], { encoding: 'utf8', env: { ...process.env, PATH: systemPath } })
  return [...new Set([process.execPath, ...(stdout ? [stdout.trim()] : [])])]
}

for (const [name, program] of Object.entries(programs))
  for (const node of nodes())
    test(`the package, installed from its tarball without a network, receives through ${name} with ${node}`, () => {
      const path = join(project, `${name.replace(':', '-')}.js`)
      writeFileSync(path, program + REPORT)
      const { response_token, statuses, events } = JSON.parse(run(node, [path, SECRET, EVENT, signed(EVENT)], project))
      assert.equal(response_token, signed('0123456789abcdef'))
      assert.deepEqual(statuses, [200, 200, 401])
      assert.deepEqual(events, ['1'])
    })

test('the package has JavaScript with source maps that hold the sources, and declarations of both entries', () => {
  const root = join(project, 'node_modules/@postern/receiver')
  assert.deepEqual(readdirSync(root).sort(), ['LICENSE', 'README.md', 'package.json', 'src'])
  const { dependencies, scripts, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.deepEqual([dependencies, scripts, engines], [undefined, undefined, { node: '>=20' }])
  const map = JSON.parse(readFileSync(join(root, 'src/web/signature.js.map'), 'utf8'))
  assert.match(map.sourcesContent[0], /export async function verifySignature/)
  for (const entry of ['index', 'fetch']) assert.match(readFileSync(join(root, `src/${entry}.d.ts`), 'utf8'), /createReceiver/)
})

test('the declarations type a program of somebody who checks everything', () => {
  const use = (entry: string, signature: string) => `
    import { createReceiver, verifySignature } from '${entry}'
    export const handle: (request: Request) => Promise<Response> = createReceiver({
      secrets: ['secret'],
      onEvent: (event) => console.log(event.data?.event_uuid),
    }).fetch
    export const isValid: ${signature} = verifySignature({ header: '', body: '', secrets: ['secret'] })
    // @ts-expect-error secrets is a list
    createReceiver({ secrets: 'secret', onEvent() {} })`
  writeFileSync(join(project, 'node.ts'), use('@postern/receiver', 'boolean'))
  writeFileSync(join(project, 'worker.ts'), use('@postern/receiver/fetch', 'Promise<boolean>'))
  const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc')
  const types = join(import.meta.dirname, '../../node_modules/@types')
  const check = (file: string, options: string[]) =>
    run(
      process.execPath,
      [tsc, '--singleThreaded', '--strict', '--noEmit', '--target', 'es2024', '--module', 'nodenext', ...options, file],
      project,
    )
  check('node.ts', ['--typeRoots', types, '--types', 'node'])
  check('worker.ts', ['--lib', 'es2024,webworker,dom.iterable', '--types', ''])
})

/** Runs the fetch entry where only the globals of a `fetch` runtime exist. */
const ISOLATED = `
  import { readFileSync } from 'node:fs'
  import { createContext, SourceTextModule } from 'node:vm'
  const globals = { console, crypto, fetch, Request, Response, Headers, URL, ReadableStream, TextEncoder, TextDecoder, atob, btoa, setTimeout, clearTimeout, Uint8Array, TypeError }
  const context = createContext({ ...globals, secret: process.argv[3] })
  const modules = new Map()
  function load(specifier, referrer) {
    const url = new URL(specifier, referrer)
    if (url.protocol !== 'file:') throw new Error('There is no ' + specifier + ' here.')
    if (!modules.has(url.href)) modules.set(url.href, new SourceTextModule(readFileSync(url, 'utf8'), { context, identifier: url.href }))
    return modules.get(url.href)
  }
  const entry = load(process.argv[2])
  await entry.link((specifier, { identifier }) => load(specifier, identifier))
  await entry.evaluate()
  const { createReceiver, verifySignature } = entry.namespace
  const events = []
  const receiver = createReceiver({ secrets: [process.argv[3]], onEvent: (event) => void events.push(event.data.event_uuid) })
  const { response_token } = await (await receiver.fetch(new Request('https://worker.example/?crc_token=0123456789abcdef'))).json()
  const statuses = []
  for (const signature of [process.argv[5], 'sha256=' + 'A'.repeat(43) + '=']) {
    const headers = { 'x-service-webhooks-signature': signature }
    statuses.push((await receiver.fetch(new Request('https://worker.example/', { method: 'POST', headers, body: process.argv[4] }))).status)
  }
  console.log(JSON.stringify({ response_token, statuses, events }))`

test('the fetch entry runs where there is no module and no global of Node', () => {
  const path = join(project, 'isolated.js')
  writeFileSync(path, ISOLATED)
  const args = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', path, module('fetch'), SECRET, EVENT, signed(EVENT)]
  const { response_token, statuses, events } = JSON.parse(run(process.execPath, args, project))
  assert.equal(response_token, signed('0123456789abcdef'))
  assert.deepEqual(statuses, [200, 401])
  assert.deepEqual(events, ['1'])
})
