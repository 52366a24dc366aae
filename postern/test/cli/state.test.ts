import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { writeExactJson } from '../../../server/src/lib/numbers.ts'
import { call } from '../../../server/test/stage/call.ts'
import { demoApp, SECRET, type Stage, setStage } from '../../../server/test/stage/postern.ts'
import { startReceiver, type TestReceiver } from '../../../server/test/stage/receiver.ts'
import { startBridge } from '../stage/bridge.ts'
import { endCommands, runAlone, runCommand, startCommand } from './command.ts'

after(endCommands)

let stage: Stage
let receiver: TestReceiver
let webhookId: string
before(async () => {
  stage = await setStage()
  receiver = await startReceiver([demoApp.consumer_secret])
  webhookId = (await stage.connect(receiver)).webhookId
})
after(async () => {
  await stage[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function done(args: string[], stdin?: string, run = runCommand): Promise<string> {
  const { code, stdout, stderr } = await run(args, { url: stage.origins.base_url, stdin })
  assert.equal(code, 0, stderr)
  return stdout
}

const documentOf = async (...args: string[]) => JSON.parse(await done([...args, '--json']))

test('deliveries are listed with how their last attempt ended, and resent', async () => {
  const [event] = await stage.publish({ text: 'Ahoy' })
  await receiver.received(1)
  await stage.deliveriesWhen(`event_uuid=${event}`, ([one]) => one.state === 'delivered')
  const [headings, row] = (await done(['deliveries'])).split('\n')
  assert.match(headings!, /^accepted +event +type +webhook +state +attempts +last$/)
  assert.match(row!, new RegExp(`${event} +dm\\.received +${webhookId} +delivered +1 +200 in \\d+ ms$`))
  assert.match(await done(['deliveries', '--event', event!]), /^delivered to http.*\n {2}1 at .*: 200 in \d+ ms\n$/)
  assert.deepEqual((await documentOf('deliveries', '--state', 'given_up')).data, [])
  const { posts } = receiver
  assert.equal(await done(['resend', event!]), '1 delivery is sent again.\n')
  await receiver.when(() => receiver.posts === posts + 1)
  await stage.deliveriesWhen(`event_uuid=${event}`, ([one]) => one.attempts.length === 2 && one.state === 'delivered')
  assert.deepEqual(await documentOf('resend', '--webhook', webhookId, '--state', 'delivered'), { data: { resent: 1 } })
  await stage.deliveriesWhen(`event_uuid=${event}`, ([one]) => one.attempts.length === 3 && one.state === 'delivered')
  assert.equal(await done(['resend', '--state', 'delivered', '--dry-run']), '1 delivery would be sent again. Nothing was sent.\n')
  const none = await documentOf('resend', '--type', 'follow.follow')
  assert.deepEqual([none.data.state, none.data.resent, none.data.event_type], ['complete', 0, 'follow.follow'])
  assert.equal(await done(['resend', '--state', 'delivered']), '1 delivery is sent again.\n')
  await stage.deliveriesWhen(`event_uuid=${event}`, ([one]) => one.attempts.length === 4 && one.state === 'delivered')
  const begun = await documentOf('resend', '--app', demoApp.id, '--no-wait')
  assert.deepEqual([begun.data.app_id, begun.data.states], [demoApp.id, ['given_up', 'not_sent']])
  await stage.until(async () => (await stage.operator('GET', `/operator/resends/${begun.data.job_id}`)).body.data.state === 'complete')
  assert.equal((await documentOf('resend', '--cancel', begun.data.job_id)).data.state, 'complete')
  const unknown = await runCommand(['resend', '5'], { url: stage.origins.base_url })
  assert.deepEqual([unknown.code, unknown.stderr.split(':')[0]], [1, 'No webhook has a delivery of the event 5'])
})

test('a delivery that is still retried is not resent, and says so', async () => {
  receiver.intercept = (request, response) => {
    if (request.method === 'POST') response.writeHead(503).end()
    return request.method === 'POST'
  }
  const [event] = await stage.publish({ text: 'Fog' })
  await stage.deliveriesWhen(`event_uuid=${event}`, ([one]) => one.state === 'retrying')
  const lines = (await done(['resend', event!])).split('\n')
  assert.equal(lines[0], '0 deliveries are sent again.')
  assert.match(
    lines[1]!,
    new RegExp(
      `^not sent again, because it has not ended yet: to be tried again at \\S+: ${receiver.url} \\(webhook ${webhookId}\\): .*503`,
    ),
  )
  assert.deepEqual(await documentOf('resend', event!, '--webhook', webhookId), { data: { resent: 0 } })
  receiver.intercept = undefined
  const unknown = await runCommand(['resend', event!, '--webhook', '5'], { url: stage.origins.base_url })
  assert.deepEqual([unknown.code, unknown.stderr.split(':')[0]], [1, `The webhook 5 has no delivery of the event ${event}`])
})

test('deliveries are listed by when their event was accepted, also as how long ago', async () => {
  const [event] = await stage.publish({ text: 'Rain' })
  await stage.deliveriesWhen(`event_uuid=${event}`, (found) => found.length === 1)
  const listed = async (until: string) => (await documentOf('deliveries', '--event', event!, '--accepted-to', until)).data.length
  assert.deepEqual([await listed('1m'), await listed('2099-12-01T12:00Z')], [0, 1])
  const { code, stderr } = await runCommand(['deliveries', '--accepted-to', 'soon'], { url: stage.origins.base_url })
  assert.deepEqual([code, stderr.includes('--accepted-to is a time in UTC')], [2, true])
})

test('processes are listed with the host and the id of each', async () => {
  const [headings, row] = (await done(['processes'])).split('\n')
  assert.match(headings!, /^worker +state +host +pid +version +roles +started +in flight +waiting$/)
  assert.match(row!, new RegExp(`^0 +answers +${hostname()} +${process.pid} `))
})

test('deliveries are listed by when their next attempt is due, also as how long from now', async () => {
  assert.deepEqual((await documentOf('deliveries', '--next-from', '1m', '--next-to', '2099-12-01T12:00Z')).data, [])
  const { code, stderr } = await runCommand(['deliveries', '--next-to', 'soon'], { url: stage.origins.base_url })
  assert.deepEqual(
    [code, stderr.split('\n')[0]],
    [2, '--next-to is a time in UTC such as 2026-03-01T12:00Z or 2026-03-01, or how long from now such as 10m, and not soon.'],
  )
})

test('a replay is waited for, and says how many were delivered', async () => {
  assert.match(await done(['replay', webhookId]), /^replay \d+: complete, \d+ delivered, 0 failed\n$/)
  const { data } = await documentOf('replay', webhookId)
  assert.deepEqual([data.state, data.webhook_id, data.failed], ['complete', webhookId, 0])
  const unknown = await runCommand(['replay', '5'], { url: stage.origins.base_url })
  assert.equal(unknown.code, 1)
  const backwards = await runCommand(['replay', webhookId, '--from', '2026-03-01T12:00Z', '--to', '2026-03-01T11:00Z'], {
    url: stage.origins.base_url,
  })
  assert.deepEqual([backwards.code, backwards.stderr.split('\n')[0]], [2, '--from must be before --to.'])
  const early = await runCommand(['replay', webhookId, '--from', '2020-01-01T00:00Z'], { url: stage.origins.base_url })
  assert.equal(early.code, 1)
  assert.match(early.stderr, /^ {2}--from: must be within the past 24 hours: at the earliest \d{4}-\d\d-\d\dT\d\d:\d\dZ$/m)
  assert.doesNotMatch(early.stderr, /_date/)
})

test('a replay without options asks for the past 24 hours of the server, which has another time than the command', async () => {
  let window: unknown
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join('') || '{}')
    response.setHeader('date', 'Sun, 01 Mar 2026 12:00:59 GMT').setHeader('content-type', 'application/json')
    if (request.url === '/operator/clock') return response.writeHead(404).end('{"type":"about:blank","title":"Not Found","status":404}')
    window = body
    response.end('{"data":{"job_id":"7"}}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, stderr } = await runCommand(['replay', '5', '--no-wait'], { url, environment: { POSTERN_OPERATOR_URL: url } })
  server.closeAllConnections()
  server.close()
  assert.equal(code, 0, stderr)
  // A minute later than the earliest that the server accepts: the call may arrive in the next minute.
  assert.deepEqual(window, { webhook_id: '5', from_date: '202602281201', to_date: '202603011201' })
})

test('in production the window of a replay is accepted from a machine whose clock is wrong', async () => {
  const environment = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
  await using production = await setStage({ environment })
  const replayed = (hoursOff: number) => {
    const shift = `const now = Date.now; Date.now = () => now() + ${hoursOff} * 3600000`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(shift)}`
    return runAlone(['replay', '5'], { url: production.origins.operator_url, environment: { NODE_OPTIONS } })
  }
  for (const hoursOff of [-2, 2]) {
    const { code, stderr } = await replayed(hoursOff)
    // The window is checked before the webhook is looked for.
    assert.match(stderr, /^POST \/operator\/replays: 404 .*\n {2}There is no webhook 5\b/m)
    assert.equal(code, 1)
  }
})

test('an event that is published is awaited, and said who got it or which subscriptions nearly matched', async () => {
  const got = await done(['publish', 'dm.received', '--user', '101', '--payload', '{"text":"Ahoy","n":9007199254740993}'])
  assert.match(
    got,
    new RegExp(`^event dm\\.received \\d+ about user 101\\ndelivered to \\S+ \\(webhook ${webhookId}\\): 200 in \\d+ ms\\n$`),
  )
  const { posts } = receiver
  const [, event] = /received (\d+)/.exec(got)!
  assert.match((await stage.operator('GET', `/operator/events/${event}`)).text, /"n":9007199254740993\b/)
  const again = await done(['publish', 'dm.received', '--user', '101', '--event', event!])
  const [about, before, delivered] = again.split('\n').filter((line) => !line.startsWith('warning: '))
  assert.equal(about, `event dm.received ${event} about user 101`)
  assert.equal(before, 'it was accepted before: nothing is sent again. What became of it:')
  assert.match(delivered!, /^delivered to \S+ \(webhook \d+\): 200 in \d+ ms$/)
  assert.equal(receiver.posts, posts, 'an event that was accepted before is not sent again')
  await done(['seed', '-'], '{"users":[{"id":"701","username":"skipper"}]}')
  assert.match(await done(['publish', 'dm.received', '--user', '@Skipper']), /^event dm\.received \d+ about user 701\n/)
  const nobody = await done(['publish', 'dm.received', '--user', '102'])
  assert.match(nobody, /^event dm\.received \d+ about user 102\nno callback gets it\nThe subscription \d+ of app 1 .*101.*\.\n$/)
  const [, unmatched] = /received (\d+)/.exec(nobody)!
  const [first, why] = (await done(['deliveries', '--event', unmatched!])).split('\n')
  assert.equal(first, 'There are no such deliveries.')
  assert.match(why!, /^The subscription \d+ of app 1 /)
  assert.match(await done(['publish', 'follow.follow', '--user', '101']), /\nNo app has a subscription to its type\.\n$/)
  const { data, meta, deliveries } = await documentOf('publish', 'dm.received', '--user', '101', '--no-wait')
  assert.deepEqual(
    [meta, deliveries[0].event_uuid, deliveries[0].webhook_id],
    [{ subscriptions: 1, deliveries: 1 }, data.event_uuid, webhookId],
  )
})

test('the audit log says whose tokens were revoked, with which token, and what changed from what to what', async () => {
  assert.equal((await stage.operator('PATCH', '/operator/apps/1', { webhook_limit: 11 })).status, 200)
  assert.equal((await stage.operator('POST', '/operator/tokens/revoke', { app_id: '1', user_id: '102' })).body.data.revoked, 1)
  const [headings, row] = (await done(['audit', '--action', 'updateApp', '--target', '1'])).split('\n')
  assert.match(headings!, /^at +token +address +action +status +app +user +changes$/)
  assert.match(row!, /^\S+Z +POSTERN_OPERATOR_TOKEN +127\.0\.0\.1 +updateApp +200 +1 +– +webhook_limit \d+ → 11$/)
  const revoked = (await done(['audit', '--action', 'revokeTokens', '--max-results', '1'])).split('\n')[1]!
  assert.match(revoked, / +1 +102 +revoked 1, access_token [0-9a-f]{16} of \{"app_id":"1","user_id":"102"\}$/)
  assert.deepEqual((await documentOf('audit', '--actor', 'nobody')).data, [])
  assert.equal(await done(['audit', '--from', '2100-01-01']), 'There are no such entries.\n')
  assert.match(await done(['audit', '--from', '90m', '--action', 'updateApp']), /updateApp/)
  assert.equal(await done(['audit', '--to', '90m', '--action', 'updateApp']), 'There are no such entries.\n')
})

test('the load by app is a table, or what the endpoint answers', async () => {
  const table = await done(['apps', 'usage', '--by', 'attempts'])
  const [window, headings, first, ...more] = table.trimEnd().split('\n')
  assert.match(window!, /^From \S+Z to \S+Z, by attempts:$/)
  assert.match(headings!, /^app +calls +refused +events +deliveries +attempts +failed +bytes +callback ms +backlog +oldest ms +rows$/)
  assert.match(first!, new RegExp(`^${demoApp.id}( +\\d+){9} +(\\d+|–) +\\d+$`))
  assert.match(more.at(-1)!, /^others( +\d+){8} +– +– +–$/)
  const { data, meta } = await documentOf('apps', 'usage', '--day', '--max-results', '1')
  assert.deepEqual([data.length, data[0].app_id], [1, demoApp.id])
  assert.ok(Date.parse(meta.to) - Date.parse(meta.from) >= 86_400_000)
  assert.match(await done(['apps', 'usage', '--to', '2020-01-01T00:00Z']), /^From .*\nNo app has any\.\n$/)
})

test('an app that is created has what was said, and keys that work', async () => {
  const { data } = await documentOf(
    'apps',
    'create',
    'My bot',
    '--callback-url',
    'http://127.0.0.1:3000/cb',
    '--ads',
    '--permissions',
    'read',
  )
  assert.deepEqual(
    [data.name, data.callback_urls, data.ads_access, data.permissions],
    ['My bot', ['http://127.0.0.1:3000/cb'], true, 'read'],
  )
  const basic = Buffer.from(`${data.consumer_key}:${data.consumer_secret}`).toString('base64')
  const { status } = await call(`${stage.origins.base_url}/oauth2/token`, 'POST', {
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  })
  assert.equal(status, 200)
  const listed = await done(['apps', 'list'])
  assert.match(listed, new RegExp(`^${data.id} +My bot +${data.consumer_key} +read +yes `, 'm'))
  assert.doesNotMatch(listed, new RegExp(data.consumer_secret))
  assert.match(await done(['apps', 'create', 'Another']), /^app +\d+\nconsumer key +\S+\nconsumer secret +\S+\n/)
  assert.match(await done(['apps', 'portal', '1']), /\/console\/portal#[\w-]{60,}\n/)
  assert.equal(await done(['apps', 'portal', '1', '--end']), 'The portal of app 1 is closed, and its links end.\n')
})

test('a number of a seed keeps its digits', async () => {
  const instrument = { id: 'exact1', credit_limit_local_micro: 9_007_199_254_740_993n }
  const seed = { accounts: [{ id: 'exact', name: 'Exact', funding_instruments: [instrument] }] }
  assert.equal((await stage.operator('POST', '/operator/seed', seed)).status, 200)
  assert.equal(await done(['seed', '-'], writeExactJson(seed)), 'created: nothing\nexisting: accounts 1\n')
})

test('a seed is loaded from stdin, with comments, and says what of it was created', async () => {
  const seed = '{ "users": [ /* the cook */ { "id": "900", "username": "cook", "name": "Cook" }, ] }'
  assert.equal(await done(['seed', '-'], seed, runAlone), 'created: users 1\nexisting: nothing\n')
  assert.match(
    await done(['seed', '-'], seed.replace('Cook"', 'Chef"')),
    /^created: nothing\nexisting: .*\ndiffers, and stays as it was: users 900 \(name\)\n$/,
  )
  const broken = await runCommand(['seed', '-'], { url: stage.origins.base_url, stdin: '{\n"users": [}' })
  assert.deepEqual([broken.code, broken.stderr.startsWith('The seed - is not JSON: ')], [1, true])
  assert.match(
    (await runCommand(['seed', '/nowhere.json'], { url: stage.origins.base_url })).stderr,
    /^The seed \/nowhere\.json cannot be read: ENOENT/,
  )
})

test('a person is told why the clock takes long', async () => {
  receiver.hold('GET')
  const command = startCommand(['clock', 'advance', '70m'], { url: stage.origins.base_url })
  const ended = once(command, 'close')
  const said = createInterface({ input: command.stderr })
  const [line] = await once(said, 'line')
  assert.match(line, /^The clock is passing timer after timer, and waits for what each starts: retries, challenges and other due work/)
  receiver.letGo()
  assert.deepEqual(await ended, [0, null])
})

test('the clock is advanced and set, and a reset sets it right', async () => {
  const before = stage.clock.now()
  const { data } = await documentOf('clock', 'advance', '25h')
  assert.ok(Date.parse(data.now) >= before + 25 * 3_600_000)
  const target = new Date(Date.parse(data.now) + 3_600_000).toISOString()
  assert.match(await done(['clock', 'set', target]), new RegExp(`it is ${target.slice(0, 16)}`))
  assert.match(await done(['reset']), /^Back to the seed: the Postern at http/)
  assert.ok(Math.abs(stage.clock.now() - Date.now()) < 60_000)
})

test('a refusal is explained in words, by its URL or its id', async () => {
  const { headers } = await stage.api('GET', '/2/users/me', {
    headers: {
      authorization:
        'OAuth oauth_consumer_key="nobody", oauth_nonce="n", oauth_signature="x", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1"',
    },
  })
  const explained = headers.get('x-postern-explain')!
  const said = await done(['explain', explained])
  assert.match(said, /nobody/)
  assert.doesNotMatch(said, /<\w+/)
  assert.equal(await done(['explain', explained.split('/').at(-1)!]), said)
  assert.equal(typeof (await documentOf('explain', explained)), 'object')
  assert.equal(await done(['explain']), said)
  const unknown = await runCommand(['explain', 'nothing'], { url: stage.origins.base_url })
  assert.deepEqual([unknown.code, /^There is no explanation at/.test(unknown.stderr)], [1, true])
})

test('the last call that was refused is explained, whatever its status', async () => {
  const token = await stage.token()
  await stage.api('GET', '/2/users/me', { headers: { authorization: 'Bearer wrong' } })
  await stage.api('POST', '/2/webhooks', { token, json: { url: 'http://example.com/hook' } })
  assert.match(await done(['explain']), /^UrlValidationFailed: [^\n]*\nPOST \/2\/webhooks at \S+ was answered with 400\n$/)
  await stage.api('GET', '/2/quarterdeck', { token })
  assert.match(
    await done(['explain']),
    /^No endpoint has this path on this host: \/2\/quarterdeck\nGET \/2\/quarterdeck at \S+ was answered with 404\n$/,
  )
  assert.equal((await documentOf('explain')).data.status, 404)
  await stage.api('GET', '/2/webhoks', { token })
  assert.match(
    await done(['explain']),
    /^There is no path \/2\/webhoks\.\nDid you mean \/2\/webhooks\?\nGET \/2\/webhoks at \S+ was answered with status 404\n$/,
  )
  await stage.api('PATCH', '/2/webhooks', { token })
  assert.match(await done(['explain']), /^PATCH is not allowed here; allowed: [^\n]*\nPATCH \/2\/webhooks at \S+ was answered with 405\n$/)
  await stage.api('GET', `/2/users?ids=${'1'.repeat(40_000)}`, { token })
  assert.match(
    await done(['explain']),
    /^The request line and the headers are larger than \d+ bytes\.\n\? \? at \S+ was answered with 431\n$/,
  )
})

test('where calls were answered since the last refusal, its explanation says so', async () => {
  const token = await stage.token()
  await stage.api('PATCH', '/2/webhooks', { token })
  await stage.api('GET', '/2/webhooks', { token })
  assert.match(await done(['explain']), /was answered with 405\nThe call since then was not refused\.\n$/)
  await stage.api('GET', '/2/webhooks', { token: 'wrong' })
  await stage.api('GET', '/2/webhooks', { token })
  await stage.api('GET', '/2/webhooks', { token })
  assert.match(await done(['explain']), /was answered with status 401\nThe 2 calls since then were not refused\.\n$/)
})

test('an explanation begins with why, in one sentence, and ends with what the server made of the signature', async () => {
  const sent = { oauth_consumer_key: demoApp.consumer_key, oauth_nonce: 'n', oauth_signature: 'x', oauth_signature_method: 'HMAC-SHA1' }
  const parameters = Object.entries({ ...sent, oauth_timestamp: '1', oauth_token: 'no-token' })
  const authorization = `OAuth ${parameters.map(([name, value]) => `${name}="${value}"`).join(', ')}`
  await stage.api('GET', '/2/users/me?a=b', { headers: { authorization } })
  const lines = (await done(['explain'])).split('\n')
  assert.match(lines[0]!, /^The clock of the client is \d+ years slow\.$/)
  const called = lines.findIndex((line) => /^GET \/2\/users\/me at \S+ was answered with /.test(line))
  const heading = lines.indexOf('Parameters received, and how they enter the base string:')
  const base = lines.indexOf('The base string that the server built:')
  assert.ok(0 < called && called < heading && heading < base, lines.join('\n'))
  assert.match(lines[heading + 1]!, /^ {2}name +value +from +in the base string$/)
  assert.match(lines[heading + 2]!, /^ {2}a +b +query +a=b$/)
  assert.match(lines[base + 1]!, /^ {2}GET&http/)
})

test('a refusal of a server in a container is explained to whoever has the operator token, which goes nowhere else', async () => {
  await using bridge = await startBridge(stage.origins.base_url)
  await fetch(`${bridge.url}/2/webhooks`, { headers: { authorization: 'Bearer of-nobody' } })
  const said = await runCommand(['explain'], { url: bridge.url })
  assert.deepEqual([said.code, /bearer token/i.test(said.stdout)], [0, true], said.stderr)
  const others: (string | undefined)[] = []
  const other = createServer(({ headers }, response) => {
    others.push(headers.authorization)
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome</p>')
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/oauth/explanations/abc`
  const { code, stderr } = await runCommand(['explain', elsewhere], { url: bridge.url })
  assert.deepEqual([code, stderr], [1, `${elsewhere} answered 200 and no explanation.\n`])
  other.closeAllConnections()
  other.close()
  assert.deepEqual(others, [undefined])
})

test('the last calls are listed with why they were refused, and followed as they come', async () => {
  await stage.api('GET', '/2/tides')
  await stage.api('GET', '/2/webhooks', { token: 'nobodys' })
  const table = await done(['requests', '--path', '/2/webhooks', '--status', '401', '--max-results', '1'])
  assert.match(table, /^at +status +ms +app +user +call\n\S+ +401 +\d+ +– +– +GET \/2\/webhooks {2}\S.*\n$/)
  const { data } = await documentOf('requests', '--path', '/2/tides')
  assert.deepEqual(
    data.map(({ url, status }: { url: string; status: number }) => [url, status]),
    [['/2/tides', 404]],
  )
  const child = startCommand(['requests', '--follow', '--max-results', '1', '--json', '--path', '/2/tides'], {
    url: stage.origins.base_url,
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value!).url
  assert.equal(await next(), '/2/tides')
  await stage.api('GET', '/2/tides/high')
  assert.equal(await next(), '/2/tides/high')
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
})
