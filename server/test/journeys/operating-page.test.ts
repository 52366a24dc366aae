import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { call } from '../stage/call.ts'
import { selfSigned } from '../stage/certificates.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { blockIn, handbookBlocks, upstreams } from '../stage/handbook.ts'
import { type Machine, setMachine } from '../stage/machine.ts'
import { authorization } from '../stage/oauth-client.ts'
import { signInThrough, through } from '../stage/public-sign-in.ts'

const API = 'https://api.example.com'
const CALLBACK = 'https://acme.example/signed-in'

/** Programs that know no `--version` fail, but are there. */
const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined

/** What the shell of the page needs; without it nobody can follow the page. */
const missing = ['bash', 'curl', 'openssl'].filter((program) => !isInstalled(program))

/** Commands for the other database. */
const isForOther = (text: string, flavour: Flavour) => text.includes(flavour === 'sqlite' ? 'database-url' : 'sqlite')

/** After the step of the first app and user: its bearer token works, and Ada signs in. */
async function checkSignIn(machine: Machine, printed: string) {
  const { agent } = machine.proxy()
  const { token_type, access_token } = JSON.parse(printed.trim().split('\n').at(-1)!)
  assert.equal(token_type, 'bearer')
  const bearer = { authorization: `Bearer ${access_token}` }
  const lies = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '192.0.2.1' }
  for (const more of [{}, lies])
    assert.equal(
      (await through(agent, 'GET', `${API}/2/webhooks`, { ...bearer, ...more })).status,
      200,
      'the proxy overwrites what clients say',
    )

  const first = JSON.parse(readFileSync(join(machine.root, 'etc/postern/first.json'), 'utf8'))
  const [{ consumer_key, consumer_secret }] = first.apps
  const credentials = await signInThrough(agent, {
    origin: API,
    app: { consumer_key, consumer_secret },
    callback: CALLBACK,
    username: 'ada',
    password: first.users[0].password,
  })
  const url = `${API}/2/users/me`
  const me = await through(agent, 'GET', url, { authorization: authorization({ ...credentials, url }), ...lies })
  assert.deepEqual([me.status, JSON.parse(me.text).data.username], [200, 'ada'])

  const port = upstreams(machine.here(blockIn('nginx')))['api.example.com']
  const past = await call(`http://127.0.0.1:${port}/2/webhooks`, 'GET', { headers: bearer })
  assert.deepEqual([past.status, past.body.errors[0].code], [403, 92], 'past the proxy the token is refused')
}

/** Pastes all commands of the page (`sh`) but those for the other database and those that need ids of one's own (`bash`); looks at what they give as soon as it is there. */
async function follow(machine: Machine, flavour: Flavour) {
  const pasted: string[] = []
  for (const { language, text } of handbookBlocks()) {
    if (language !== 'sh' || isForOther(text, flavour)) continue
    const printed = await machine.paste(text)
    pasted.push(text)
    if (text.includes('/oauth2/token')) await checkSignIn(machine, printed)
    if (text.includes('rotate_secret')) assert.match(printed, /"consumer_secret":"[\w-]{40,}"/)
    if (text.includes('/operator/audit')) assert.match(printed, /loadSeed/)
  }
  const parts = ['openssl rand', 'systemctl enable', '/readyz', '/oauth2/token', 'OPERATOR_TOKENS_FILE', 'rotate_secret']
  for (const part of [...parts, ...['apps', 'users/101', 'sessions', 'tokens/revoke', 'webhooks'].map((path) => `/operator/${path}`)])
    assert.ok(
      pasted.some((text) => text.includes(part)),
      `${part} was pasted`,
    )
}

suite('docs/operating.md', { skip: missing.length > 0 && `needs ${missing.join(', ')}` }, () => {
  for (const flavour of databasesOf(import.meta))
    test(`pasted command by command, gives a production server behind TLS that signs a user in (${flavour})`, async () => {
      await using machine = await setMachine(flavour)
      await follow(machine, flavour)
      const { lines, stop } = machine.service()
      const warned = lines.filter(({ level }) => level >= 40).map(({ msg }) => msg)
      assert.deepEqual(warned, [], 'a start as the page says has nothing to warn of')
      assert.equal(await stop(), 0)
      assert.equal(statSync(join(machine.root, 'etc/postern')).mode & 0o777, 0o700)
      if (flavour === 'postgres') return
      const state = join(machine.root, 'var/lib/postern')
      const [copy = ''] = readdirSync(join(state, 'backup'))
      assert.deepEqual(readdirSync(join(state, 'backup', copy)).sort(), ['postern.db', 'postern.db.events'])
    })

  for (const name of ['nginx', 'caddy'] as const)
    test(`gives the same behind a real ${name} with its sample`, { skip: !isInstalled(name) && `no ${name} here` }, async () => {
      await using machine = await setMachine('sqlite', name)
      await follow(machine, 'sqlite')
    })
})

suite('what of docs/operating.md the tests do not run', () => {
  const check = (program: string, parameters: string[]) => {
    const { status, stderr, stdout } = spawnSync(program, parameters, { encoding: 'utf8' })
    assert.equal(status, 0, `${stderr}${stdout}`)
    return `${stderr}${stdout}`
  }

  test('is a unit that systemd understands', { skip: !isInstalled('systemd-analyze') && 'no systemd here' }, async () => {
    await using machine = await setMachine('sqlite')
    const unit = handbookBlocks().find(({ text }) => text.includes('[Unit]'))!
    await machine.paste(unit.text)
    const said = check('systemd-analyze', ['verify', '--man=no', join(machine.root, 'etc/systemd/system/postern.service')])
    assert.doesNotMatch(said, /postern\.service:/, 'no word about this unit')
  })

  test('is a configuration that nginx understands', { skip: !isInstalled('nginx') && 'no nginx here' }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-nginx-'))
    const { cert, key } = await selfSigned({ hosts: ['api.example.com'] })
    await writeFile(join(folder, 'fullchain.pem'), cert)
    await writeFile(join(folder, 'privkey.pem'), key)
    const sample = blockIn('nginx').replaceAll('/etc/letsencrypt/live/api.example.com', folder)
    await writeFile(join(folder, 'nginx.conf'), `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\n${sample}\n}\n`)
    check('nginx', ['-t', '-c', join(folder, 'nginx.conf')])
    await rm(folder, { recursive: true })
  })

  test('is a configuration that Caddy understands', { skip: !isInstalled('caddy') && 'no Caddy here' }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-caddy-'))
    await writeFile(join(folder, 'Caddyfile'), blockIn('caddyfile'))
    check('caddy', ['adapt', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')])
    await rm(folder, { recursive: true })
  })

  test('leads each public name to the port that its host has, and overwrites what clients say of themselves', () => {
    assert.deepEqual(upstreams(blockIn('nginx')), {
      'api.example.com': 4000,
      'ads-api.example.com': 4001,
      'ads-api-sandbox.example.com': 4002,
    })
    const caddy = [...blockIn('caddyfile').matchAll(/^(\S+) \{\n\treverse_proxy 127\.0\.0\.1:(\d+)\n\}$/gm)]
    assert.deepEqual(Object.fromEntries(caddy.map(([, name, port]) => [name, Number(port)])), upstreams(blockIn('nginx')))
    for (const header of ['X-Forwarded-Proto $scheme', 'X-Forwarded-Host $host', 'X-Forwarded-For $remote_addr'])
      assert.ok(blockIn('nginx').includes(`proxy_set_header ${header};`), header)
  })
})
