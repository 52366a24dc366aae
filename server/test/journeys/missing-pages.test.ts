import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../stage/postern.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const get = (url: string, accept: string, method = 'GET') => fetch(url, { method, headers: { accept } })

test('a browser that goes to a path that there is not sees a page, with what was meant and where to go', async () => {
  await using stage = await setStage()
  const { base_url, ads_base_url } = stage.origins
  for (const [url, says] of [
    [`${base_url}/quarterdeck`, /<code>\/quarterdeck<\/code>/],
    [`${base_url}/docs/quarterdeck`, /<code>\/docs\/quarterdeck<\/code>/],
    [`${base_url}/2/user/101`, /Did you mean \/2\/users\/101\?/],
    [`${base_url}/12/accounts`, /The advertising host has this path: call it at http/],
    [`${base_url}/1.1/statuses/update.json`, /Postern does not have posts of v1\.1/],
    [`${ads_base_url}/12/acounts`, /Did you mean \/12\/accounts\?/],
  ] as const) {
    const answer = await get(url, BROWSER)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'text/html;charset=utf-8'], url)
    const page = await answer.text()
    assert.match(page, says)
    assert.match(page, /<h1>Nothing is at this address<\/h1>/)
    assert.ok(page.includes(`href="${base_url}/docs"`), page)
  }
})

test('a path with markup is shown as text', async () => {
  await using stage = await setStage()
  const page = await (await get(`${stage.origins.base_url}/<script>alert(1)</script>`, BROWSER)).text()
  assert.doesNotMatch(page, /<script/)
})

test('whoever does not ask for a page gets a problem', async () => {
  await using stage = await setStage()
  const url = `${stage.origins.base_url}/quarterdeck`
  for (const [accept, method] of [
    ['*/*', 'GET'],
    ['application/json', 'GET'],
    ['application/json, text/html', 'GET'],
    [BROWSER, 'POST'],
  ] as const) {
    const answer = await get(url, accept, method)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'application/problem+json'], `${method} ${accept}`)
    assert.equal(((await answer.json()) as { detail: string }).detail, 'No endpoint has this path on this host: /quarterdeck')
  }
})
