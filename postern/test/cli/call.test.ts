import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Origins } from '../../../server/src/assemble.ts'
import { freePort } from '../../../server/test/stage/free-port.ts'
import { PosternProcess } from '../../../server/test/stage/postern-process.ts'
import { type Ended, endCommands, runCommand } from './command.ts'

after(endCommands)

const root = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** A call of `postern call` that succeeds. */
async function callAs(args: string[]): Promise<Ended> {
  const ended = await runCommand(['call', ...args])
  assert.equal(ended.code, 0, ended.stderr)
  return ended
}

/** One that does not. */
async function refused(args: string[]): Promise<Ended> {
  const ended = await runCommand(['call', ...args])
  assert.notEqual(ended.code, 0, ended.stdout)
  return ended
}

let folder: string
let postern: PosternProcess
let origins: Origins
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-demo-'))
  postern = new PosternProcess({}, folder)
  origins = await postern.ready()
})
after(async () => {
  await postern.end('SIGTERM')
  await rm(folder, { recursive: true })
})

/** The answers to the calls of the tour to a host, pasted one after the other into one shell. */
async function answersOf(documented: string, origin: string) {
  const tour = await readFile(join(root, 'docs/tour.md'), 'utf8')
  const lines = [...tour.matchAll(/^(?:AUDIENCE=.*)?npx postern call .*$/gm)]
    .map(([line]) => line)
    .filter((line) => line.includes(documented))
  const npx = 'npx() { shift; "$NODE" postern/src/cli/main.js "$@"; }'
  const pasted = lines.map((line) => `${line.replace(documented, origin)} && printf '\\0'`)
  const { stdout } = await run('bash', ['-c', `{ ${[npx, ...pasted].join('\n')}\n} 2>&1 | cat`], {
    cwd: root,
    env: { ...process.env, NODE: process.execPath },
  })
  const answers = stdout.split('\0').slice(0, -1)
  assert.equal(answers.length, lines.length, answers.at(-1) ?? stdout)
  return answers.map((answer) => JSON.parse(answer))
}

test('the calls of the tour that read and write as the demo user show something on a fresh start', async () => {
  const [timeline, post, user, written, liked, sent, followed, media, ...more] = await answersOf('http://127.0.0.1:4000', origins.base_url)
  assert.deepEqual(more, [])
  assert.deepEqual([written.data.text, liked.data.liked, sent.data.dm_conversation_id], ['Ahoy', true, '101-102'])
  assert.equal(followed.data.text, 'Low tide at noon')
  assert.match(media.data.media_key, /^3_[0-9]+$/)
  assert.deepEqual([timeline.data.length, timeline.meta.result_count], [5, 5])
  assert.ok(timeline.includes.users.length > 1)
  assert.deepEqual([post.data.id, post.includes.users[0].username, post.includes.media.length], ['2234209271808086016', 'juniper', 1])
  assert.deepEqual([user.data.username, user.includes.posts.length], ['ottoline', 1])
  for (const { errors } of [timeline, post, user]) assert.equal(errors, undefined)
})

test('a call by hand takes lists, objects and truth values of a JSON body', async () => {
  const path = `${origins.base_url}/2/posts`
  const written = JSON.parse(
    (await callAs(['POST', path, 'text=Bus or boat?', 'poll={"options":["bus","boat"],"duration_minutes":60}'])).stdout,
  )
  const reply = `reply={"in_reply_to_post_id":"${written.data.id}"}`
  const { data } = JSON.parse((await callAs(['POST', path, 'text=101', 'nullcast=false', reply])).stdout)
  assert.equal(data.text, '101')
  const wrong = await refused(['POST', path, 'reply={'])
  assert.match(wrong.stderr, /\{ is not JSON/)
})

test('a call by hand sends and shows the digits of integers beyond 2^53 in objects and lists', async () => {
  const sent: string[] = []
  const server = createServer((request, response) => {
    request.setEncoding('utf8')
    let body = ''
    request
      .on('data', (piece) => (body += piece))
      .on('end', () => {
        sent.push(body)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"id":1997712707928100865}}')
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/2/posts`
    const { stdout } = await callAs([
      'POST',
      url,
      'reply={"id":9007199254740993,"rate":0.10}',
      'ids=[-1997712707928100865,1]',
      'n=9007199254740993',
    ])
    assert.deepEqual(sent, ['{"reply":{"id":9007199254740993,"rate":0.10},"ids":[-1997712707928100865,1],"n":"9007199254740993"}'])
    assert.match(stdout, /"id": 1997712707928100865\n/)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('of the demo world the demo user does not see who is protected, suspended, or blocks the demo user', async () => {
  const seed = JSON.parse(await readFile(join(root, 'server/seeds/demo.json'), 'utf8'))
  const hidden = ['116', '117', '118'].map((author) => seed.posts.find(({ author_id }: { author_id: string }) => author_id === author).id)
  const { stdout } = await callAs(['GET', `${origins.base_url}/2/posts`, `ids=${hidden.join()}`])
  const { data, errors } = JSON.parse(stdout)
  assert.equal(data, undefined)
  assert.deepEqual(
    errors.map(({ title, value }: { title: string; value: string }) => [title, value]),
    hidden.map((id) => ['Authorization Error', id]),
  )
})

test('the advertising calls of the tour succeed, one after the other, on a fresh start', async () => {
  const answers = await answersOf('http://127.0.0.1:4001', origins.ads_base_url)
  const [accounts, campaign, campaigns, library, card, post, audience, permission, shared] = answers.map(({ data }) => data)
  assert.deepEqual([accounts.length, accounts[0].name, campaign.name], [1, 'Demo ads', 'Spring'])
  assert.deepEqual(campaigns, [campaign])
  assert.deepEqual(
    library.map(({ name }: { name: string }) => name),
    ['Tide tables', 'Harbour film'],
  )
  assert.deepEqual([card.name, card.card_type], ['Tides', 'IMAGE_WEBSITE'])
  assert.deepEqual([post.text, post.nullcast], ['When is high tide?', true])
  assert.match(audience.name, /^Sailors \d\d:\d\d:\d\d$/)
  assert.equal(permission.granted_account_id, '18ce54d4x6a')
  assert.deepEqual(
    shared.map(({ id, name, is_owner }: Record<string, unknown>) => [id, name, is_owner]),
    [[audience.id, audience.name, false]],
  )
})

test('an audience of the demo account can be shared with the account of its partner', async () => {
  const audiences = `${origins.ads_base_url}/12/accounts/18ce54d4x5t/custom_audiences`
  const shown = async (args: string[]) => JSON.parse((await callAs(args)).stdout).data
  const { id } = await shown(['POST', audiences, 'name=Rowers'])
  await shown(['POST', `${audiences}/${id}/permissions`, 'granted_account_id=18ce54d4x6a', 'permission_level=READ_ONLY'])
  const [seen] = await shown(['GET', audiences.replace('18ce54d4x5t', '18ce54d4x6a'), 'permission_scope=SHARED', '--as', '103'])
  assert.deepEqual([seen.id, seen.is_owner, seen.permission_level], [id, false, 'READ_ONLY'])
})

test('a call by hand sends a JSON body as it is, files, and a clear error for what it does not know', async () => {
  const users = `${origins.ads_base_url}/12/accounts/18ce54d4x5t/custom_audiences`
  const { id } = JSON.parse((await callAs(['POST', users, 'name=Divers'])).stdout).data
  const batch = JSON.stringify([{ operation_type: 'Update', params: { users: [{ handle: ['a'.repeat(64)] }] } }])
  const { data } = JSON.parse((await callAs(['POST', `${users}/${id}/users`, '--json', batch])).stdout)
  assert.deepEqual(data, [{ success_count: 1, total_count: 1 }])
  const post = JSON.parse((await callAs(['POST', `${origins.base_url}/2/posts`, 'text=@grace Ahoy'])).stdout).data
  assert.equal(post.text, '@grace Ahoy')
  assert.match((await refused(['POST', users, 'media=@/nowhere.png'])).stderr, /^The file \/nowhere\.png cannot be read: [^\n]+\n$/)
  assert.match(
    (await refused(['GET', users, '--as', '999'])).stderr,
    /no token of user 999, but of ada, grace, saltmere_news, harbourmaster, tomas_bakes\./,
  )
  assert.match((await refused(['GET', users, '--bearer'])).stderr, /--bearer/)
})

test('a path is one of the general or the advertising API of the server, which says itself where that is', async () => {
  const shown = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(['call', ...args], { url: origins.base_url })
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout).data
  }
  for (const grace of ['grace', 'Grace', '@grace', '102'])
    assert.equal((await shown('GET', '/2/users/me', '--as', grace)).username, 'grace', grace)
  assert.equal((await shown('GET', '/12/accounts', 'count=1'))[0].name, 'Demo ads')
  assert.deepEqual(await shown('GET', '/2/webhooks', '--as-app'), [])
  assert.equal((await shown('POST', '/2/posts', '{"text":"As it is"}')).text, 'As it is')
})

test('a refused call says why, where the server explains it', async () => {
  const { code, stderr } = await runCommand(['call', 'GET', '/2/users/101/bookmarks', '--as-app'], { url: origins.base_url })
  assert.equal(code, 1)
  assert.match(stderr, /^403 Forbidden\nexplained at http:\S+\n\S.*\./)
})

test('a refused call is explained by the server that is called, whatever address that gives itself, and shown without an explanation too', async () => {
  let isExplained = true
  const server = createServer(({ url }, response) => {
    const answer = (status: number, body: object, headers: object = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    if (url === '/oauth2/token') return answer(200, { access_token: 'of-the-app' })
    if (url !== '/oauth/explanations/abc')
      return answer(401, { status: 401 }, { 'x-postern-explain': 'http://127.0.0.1:1/oauth/explanations/abc' })
    if (isExplained) return answer(200, { data: { explanation: ['The token is unknown.'] } })
    response.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const call = () => runCommand(['call', 'GET', '/2/webhooks', '--as-app'], { url })
    const { code, stderr } = await call()
    assert.deepEqual([code, stderr], [1, `401 Unauthorized\nexplained at ${url}/oauth/explanations/abc\nThe token is unknown.\n`])
    isExplained = false
    const without = await call()
    assert.deepEqual([without.code, JSON.parse(without.stdout)], [1, { status: 401 }])
    assert.equal(without.stderr, '401 Unauthorized\nexplained at http://127.0.0.1:1/oauth/explanations/abc\n')
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('a call to a path that there is not names the nearest; a record that there is not has no hint', async () => {
  const said = async (...args: string[]) => (await runCommand(['call', ...args], { url: origins.base_url })).stderr
  assert.match(await said('GET', '/2/user/me'), /^404 Not Found\nThere is no path \/2\/user\/me\. Did you mean \/2\/users\/me\?\n/)
  assert.match(await said('GET', '/2/user/101'), /Did you mean \/2\/users\/101\?/)
  assert.match(await said('GET', '/12/acounts'), /Did you mean \/12\/accounts\?/)
  for (const path of ['/2/quarterdeck', '/operator/replays/999']) assert.doesNotMatch(await said('GET', path), /Did you mean/)
})

test('a call to the real service is refused before it is sent, with the path to name instead', async () => {
  const urls: [url: string, host: string, path: string][] = [
    ['https://api.x.com/2/users/me?user.fields=id', 'https://api.x.com', '/2/users/me?user.fields=id'],
    ['https://ads-api.twitter.com/12/accounts', 'https://ads-api.twitter.com', '/12/accounts'],
    ['http://X.com./2/users/me', 'http://x.com.', '/2/users/me'],
    ['https://stream.x.com:8443/2/users/me', 'https://stream.x.com:8443', '/2/users/me'],
  ]
  for (const [url, host, path] of urls) {
    const { code, stdout, stderr } = await runCommand(['call', 'GET', url], { url: origins.base_url })
    const says = `\`postern call\` calls a Postern, and ${host} is the real service: name the path ${path}, which is called at --url.`
    assert.deepEqual([code, stdout, stderr.split('\n')[0]], [2, '', says])
  }
  const other = await runCommand(['call', 'GET', `http://notx.com.localhost:${await freePort()}/2/users/me`])
  assert.equal(other.code, 3, other.stderr)
})

test('the sandbox has its own demo account', async () => {
  const { stdout } = await callAs(['GET', `${origins.ads_sandbox_base_url}/12/accounts`, 'count=1'])
  assert.equal(JSON.parse(stdout).data[0].name, 'Demo sandbox')
})

test('a rejected call by hand shows the whole response and its status, and exits with 1', async () => {
  const bad = await refused(['GET', `${origins.ads_base_url}/12/accounts`, 'count=none'])
  assert.deepEqual([bad.code, JSON.parse(bad.stdout).errors[0].parameter], [1, 'count'])
  assert.match(bad.stderr, /^400 Bad Request/)
  assert.match((await refused(['FETCH', origins.ads_base_url])).stderr, /GET\|POST\|PUT\|PATCH\|DELETE, and not FETCH/)
  assert.match((await refused(['GET', origins.ads_base_url, 'count'])).stderr, /count is not name=value/)
  const nobody = await refused(['GET', `http://127.0.0.1:${await freePort()}/12/accounts`])
  assert.deepEqual([nobody.code, /ECONNREFUSED/.test(nobody.stderr)], [3, true], nobody.stderr)
  const { code, stderr } = await refused(['GET', `${origins.ads_base_url}/12/accounts`, '{"count":1}'])
  assert.deepEqual([code, stderr.split('\n')[0]], [2, 'A GET has no body, and {"count":1} is one: its parameters are name=value.'])
})

test('of an answer that breaks off a call by hand says that it may have been done, and exits with 1', async () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n'
  const ends: ((socket: Socket) => void)[] = [
    (socket) => socket.end(),
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end(`${head}{"data"`),
  ]
  for (const end of ends) {
    const server = createTcpServer((socket) => socket.on('error', () => {}).once('data', () => end(socket))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, stderr } = await refused(['POST', `${url}/2/posts`, 'text=Ahoy'])
    server.close()
    const [first] = stderr.split('\n')
    assert.deepEqual(
      [code, first],
      [1, `${url} broke off before its answer to POST /2/posts was complete. The call may have been done.`],
      stderr,
    )
  }
})
