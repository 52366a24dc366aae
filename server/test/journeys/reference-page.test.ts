import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { adsEndpoints, developmentEndpoints, generalEndpoints, operatorEndpoints } from '../../scripts/all-endpoints.ts'
import { groupOf } from '../../src/api/describe/groups.ts'
import { eventTypes } from '../../src/delivery/events/event-types.ts'
import { credentials } from '../../src/endpoints/description/credentials.ts'
import { groups } from '../../src/endpoints/description/describe.ts'
import { OPERATOR_TOKEN, setStage } from '../stage/postern.ts'

const endpoints = [...generalEndpoints, ...adsEndpoints, ...operatorEndpoints, ...developmentEndpoints]

/** The values of an attribute in a page. */
const valuesOf = (page: string, attribute: string) =>
  [...page.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value]) => value!)

const textOf = (page: string) =>
  page
    .replace(/<[^>]+>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

/** Every page of the reference, by its path. */
async function pagesOf(origin: string): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const first = await (await fetch(`${origin}/docs`)).text()
  for (const path of new Set(valuesOf(/<nav[\s\S]*?<\/nav>/.exec(first)![0], 'href'))) {
    const response = await fetch(`${origin}${path}`)
    assert.equal(response.status, 200, path)
    assert.match(response.headers.get('content-security-policy')!, /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/)
    pages.set(path, await response.text())
  }
  return pages
}

test('the reference has every endpoint and every event, runs no script, leaves no backtick, and its links lead to places that exist', async () => {
  await using stage = await setStage()
  const pages = await pagesOf(stage.origins.base_url)
  const ids = new Set([...pages.values()].flatMap((page) => valuesOf(page, 'id')))
  const contents = [...pages.values()].map(textOf).join('\n')
  for (const { name, summary } of endpoints) {
    assert.ok(ids.has(name), name)
    assert.ok(contents.includes(summary.replaceAll('`', '')), summary)
  }
  for (const name of Object.keys(eventTypes)) assert.ok(ids.has(name), name)
  const places = new Set(['/openapi.json', ...pages.keys()])
  for (const [path, page] of pages) for (const id of valuesOf(page, 'id')) places.add(`${path}#${id}`)
  for (const [path, page] of pages) {
    assert.doesNotMatch(textOf(page.replace(/<(pre|code)[\s\S]*?<\/\1>/g, '')), /`/, path)
    assert.doesNotMatch(page, /<script/)
    const links = valuesOf(page, 'href').map((link) => (link.startsWith('#') ? path + link : link))
    const lost = links.filter((link) => !places.has(link) && !link.startsWith('data:'))
    assert.deepEqual(lost, [], path)
  }
})

test('the OpenAPI description has every endpoint with its parameters in a group that says what it is for, and follows the dialect', async () => {
  await using stage = await setStage()
  const { body } = await stage.api('GET', '/openapi.json')
  assert.deepEqual([body.openapi, body.info.version], ['3.1.0', '2.165'])
  const tags = body.tags.map(({ name }: { name: string }) => name)
  assert.deepEqual(tags, [...groups.map(({ name }) => name), 'Events'])
  for (const { method, path, name } of endpoints) {
    const operation = body.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
    assert.equal(operation.operationId, name)
    assert.equal(operation.tags.length, 1)
    assert.ok(tags.includes(operation.tags[0]), `${name}: ${operation.tags}`)
    assert.doesNotMatch(operation.summary, /`/)
  }
  assert.deepEqual(
    endpoints.filter(({ path }) => groupOf(groups, path)?.name === 'Test tools').map(({ name }) => name),
    developmentEndpoints.map(({ name }) => name),
  )
  const fields = body.paths['/2/webhooks'].get.parameters[0]
  assert.deepEqual([fields.name, fields.in, fields.required], ['webhook_config.fields', 'query', false])
  assert.deepEqual(body.paths['/2/webhooks/replay'].post.requestBody.content['application/json'].schema.required, [
    'webhook_id',
    'from_date',
    'to_date',
  ])
})

test('the reference explains every kind of credentials that the description names', async () => {
  await using stage = await setStage()
  const { body } = await stage.api('GET', '/openapi.json')
  const explained = credentials.flatMap(({ schemes }) => schemes)
  assert.deepEqual(
    Object.keys(body.components.securitySchemes).filter((name) => !explained.includes(name)),
    [],
  )
})

/** The command of an endpoint, as a browser shows it. */
async function commandOf(origin: string, path: string, name: string): Promise<string> {
  const page = await (await fetch(`${origin}${path}`)).text()
  const [, section = ''] = page.split(`id="${name}"`)
  const shown = /<pre><code>([\s\S]*?)<\/code><\/pre>/.exec(section)?.[1] ?? ''
  return shown.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

test('the commands of the reference work as they are pasted into a shell', async () => {
  await using stage = await setStage()
  const { base_url } = stage.origins
  const env = { ...process.env, OPERATOR_TOKEN, BEARER_TOKEN: await stage.token() }
  for (const [path, name, expected] of [
    ['/docs/test-tools', 'moveClock', '"happened"'],
    ['/docs/operator-api', 'createApp', '"consumer_secret"'],
    ['/docs/webhooks', 'listWebhooks', '"result_count":0'],
  ] as const) {
    const command = await commandOf(base_url, path, name)
    const shell = spawn('sh', ['-c', command.replace(/^curl /, 'curl -sS ')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const answer = await text(shell.stdout)
    assert.ok(answer.includes(expected), `${command}\n${answer}`)
  }
})
