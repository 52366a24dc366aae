import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { openWith, untilClosed } from '../stage/hostile/bare-host.ts'
import { asOperator, auditedWhen } from '../stage/operator-calls.ts'
import { OPERATOR_TOKEN, setStage } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'

const flavours = databasesOf(import.meta)

const READ = 'token-that-only-reads-0123456789abcdef'
const OPERATE = 'token-that-operates-0123456789abcdefgh'
const environment = { POSTERN_OPERATOR_TOKENS: `grafana:read:${READ},ops:operate:${OPERATE}` }

const writes: [method: string, path: string, json?: unknown][] = [
  ['POST', '/operator/seed', {}],
  ['POST', '/operator/apps', { name: 'Acme' }],
  ['PATCH', '/operator/apps/1', { name: 'Acme' }],
  ['DELETE', '/operator/apps/1'],
  ['PATCH', '/operator/users/101', { disabled: true }],
  ['DELETE', '/operator/users/101'],
  ['POST', '/operator/tokens/revoke', { app_id: '1' }],
  ['DELETE', '/operator/sessions?user_id=101'],
  ['POST', '/operator/events', { event_type: 'dm.received', user_id: '101', payload: {} }],
  ['POST', '/operator/clock', { advance: '1h' }],
  ['POST', '/operator/reset', {}],
]
const reads = ['/operator/apps', '/operator/deliveries', '/operator/audit']

for (const flavour of flavours)
  test(`${flavour}: a token that reads is refused where something is written, which says why, and reads everything`, async () => {
    await using stage = await setStage({ flavour, environment })
    const before = stage.clock.now()
    for (const [method, path, json] of writes) {
      const answer = await asOperator(stage, READ, method, path, json)
      assert.equal(answer.status, 403, `${method} ${path}`)
      assert.equal(answer.headers.get('content-type'), 'application/problem+json')
      assert.deepEqual(answer.body, {
        type: 'about:blank',
        title: 'Forbidden',
        status: 403,
        detail: `This operator token has the role read, which allows GET; ${method} needs the role operate.`,
      })
    }
    for (const path of reads) assert.equal((await asOperator(stage, READ, 'GET', path)).status, 200, path)
    assert.equal((await asOperator(stage, READ, 'HEAD', '/operator/apps')).status, 200)
    assert.ok(stage.clock.now() < before + 3_600_000)
    assert.deepEqual((await stage.operator('GET', '/operator/apps')).body.data.length, 2)
  })

for (const flavour of flavours)
  test(`${flavour}: the audit log names the token and the address of each call that may change something, the log lines of every call, and neither holds a token`, async () => {
    await using stage = await setStage({ flavour, environment })
    assert.equal((await asOperator(stage, OPERATE, 'POST', '/operator/apps', { name: 'Acme' })).status, 200)
    assert.equal((await asOperator(stage, READ, 'GET', '/operator/apps')).status, 200)
    assert.equal((await asOperator(stage, READ, 'DELETE', '/operator/apps/1')).status, 403)
    assert.equal((await asOperator(stage, `${READ}x`, 'DELETE', '/operator/apps/2')).status, 401)
    const forwarded = { token: OPERATE, headers: { 'x-forwarded-for': '203.0.113.9' } }
    assert.equal((await call(`${stage.origins.operator_url}/operator/sessions?user_id=8`, 'DELETE', forwarded)).status, 200)
    assert.equal((await stage.operator('DELETE', '/operator/sessions?user_id=9')).status, 200)
    const text = await stage.until(async () => {
      const audit = await stage.operator('GET', '/operator/audit')
      const called = audit.body.data.map(
        ({ token_name, action, status, address }: Record<string, unknown>) => `${token_name} ${action} ${status} ${address}`,
      )
      if (called.length < 4) return undefined
      assert.deepEqual(called.sort(), [
        'grafana deleteApp 403 127.0.0.1',
        'null endSessions 200 127.0.0.1',
        'ops createApp 200 127.0.0.1',
        'ops endSessions 200 203.0.113.9',
      ])
      return audit.text
    })
    const lines = stage.log
      .filter(({ msg }) => msg === 'operator call')
      .map(({ endpoint, token_name, address }) => `${endpoint} ${token_name} ${address}`)
    assert.deepEqual(lines.slice(0, 6), [
      'createApp ops 127.0.0.1',
      'listApps grafana 127.0.0.1',
      'deleteApp grafana 127.0.0.1',
      'deleteApp undefined 127.0.0.1',
      'endSessions ops 203.0.113.9',
      'endSessions null 127.0.0.1',
    ])
    for (const written of [text, JSON.stringify(stage.log)]) for (const token of [READ, OPERATE]) assert.ok(!written.includes(token))
  })

test('a large body of a token that reads is refused before it is read, and audited', async () => {
  await using stage = await setStage({ environment })
  const head = `POST /operator/seed HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${READ}\r\nContent-Length: 10000000\r\n\r\n`
  const [answer] = await untilClosed(openWith(stage.origins.operator_url, head))
  assert.equal(answer?.status, 403)
  const { entries } = await auditedWhen(stage, 'loadSeed')
  const { token_name, status } = entries.find(({ action }: { action: string }) => action === 'loadSeed')
  assert.deepEqual([token_name, status], ['grafana', 403])
})

test('publishing is not in the audit log, but a token that may not publish is', async () => {
  await using stage = await setStage({ environment })
  const event = { event_type: 'dm.received', user_id: '101', payload: {} }
  assert.equal((await asOperator(stage, OPERATE, 'POST', '/operator/events', event)).status, 202)
  assert.equal((await asOperator(stage, READ, 'POST', '/operator/events', event)).status, 403)
  const { entries } = await auditedWhen(stage, 'publishEvents')
  const published = entries.filter(({ action }: { action: string }) => action === 'publishEvents')
  assert.deepEqual(
    published.map(({ token_name, status }: Record<string, unknown>) => [token_name, status]),
    [['grafana', 403]],
  )
})

test('of a query the audit log has what the endpoint declares: a secret in the wrong place is in no log', async () => {
  await using stage = await setStage()
  const misplaced = 'a-secret-in-the-wrong-place'
  assert.equal((await stage.operator('PATCH', `/operator/users/101?password=${misplaced}`, {})).status, 400)
  assert.equal((await stage.operator('POST', `/operator/tokens/revoke?token=${misplaced}`, {})).status, 400)
  assert.equal((await stage.operator('DELETE', `/operator/sessions?${misplaced}&user_id=8&token=${misplaced}`)).status, 400)
  assert.equal((await stage.operator('DELETE', `/operator/sessions?user_id=9`)).status, 200)
  const audit = await stage.until(async () => {
    const { text, body } = await stage.operator('GET', '/operator/audit')
    return body.data.length === 4 && { text, entries: body.data }
  })
  const targets = audit.entries.map(({ target }: { target: string }) => target)
  assert.deepEqual(targets.sort(), [
    '/operator/sessions?user_id=8',
    '/operator/sessions?user_id=9',
    '/operator/tokens/revoke',
    '/operator/users/101',
  ])
  for (const written of [audit.text, JSON.stringify(stage.log)]) assert.ok(!written.includes(misplaced))
})

test('a process takes its named tokens from the setting, and in development generates none beside them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-tokens-'))
  const postern = new PosternProcess({ POSTERN_OPERATOR_TOKEN: '', ...environment }, folder)
  try {
    const { operator_url } = await postern.ready()
    const status = async (method: string, path: string, token: string) => (await call(operator_url + path, method, { token })).status
    assert.equal(await status('GET', '/operator/apps', READ), 200)
    assert.equal(await status('DELETE', '/operator/sessions?user_id=9', READ), 403)
    assert.equal(await status('DELETE', '/operator/sessions?user_id=9', OPERATE), 200)
    assert.equal(await status('GET', '/operator/apps', OPERATOR_TOKEN), 401)
    assert.ok(!existsSync(join(folder, '.postern/operator-token')))
  } finally {
    await postern.end('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
})

test('a process does not start in production with an operator token that is empty, and says so', async () => {
  const postern = new PosternProcess({ POSTERN_PROFILE: 'production', POSTERN_OPERATOR_PORT: '0', POSTERN_OPERATOR_TOKEN: '' }, '/tmp')
  await assert.rejects(postern.ready(), /POSTERN_OPERATOR_TOKEN is empty: set it, or unset it/)
})

test('every token is compared, whichever it is: each is known by its name alone', async () => {
  const tokens = Array.from({ length: 5 }, (_, n) => ({ name: `name${n}`, token: `${n}`.repeat(32) }))
  const list = tokens.map(({ name, token }, n) => `${name}:${n % 2 ? 'read' : 'operate'}:${token}`).join()
  await using stage = await setStage({ environment: { POSTERN_OPERATOR_TOKENS: list } })
  const statuses = await Promise.all(
    tokens.map(async ({ token }) => (await asOperator(stage, token, 'DELETE', '/operator/sessions?user_id=9')).status),
  )
  assert.deepEqual(statuses, [200, 403, 200, 403, 200])
  assert.equal((await asOperator(stage, '0'.repeat(33), 'GET', '/operator/apps')).status, 401)
})
