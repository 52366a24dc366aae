import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { trigger as triggerHere } from '../../scripts/trigger/trigger.ts'
import type { Origins } from '../../src/assemble.ts'
import { type EventTypeName, eventTypeNames } from '../../src/delivery/events/event-types.ts'
import { readSettings } from '../../src/settings/settings.ts'
import { call } from '../stage/call.ts'
import { freePort } from '../stage/free-port.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { startReceiver, type TestReceiver } from '../stage/receiver.ts'

const root = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

const DEMO_SECRET = 'demo-consumer-secret-for-development-only'

let folder: string
let postern: PosternProcess
let origins: Origins
let receiver: TestReceiver
let token: string
let webhookId: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-trigger-'))
  postern = new PosternProcess({ POSTERN_RATE_LIMITS: 'off' }, folder)
  origins = await postern.ready()
  receiver = await startReceiver([DEMO_SECRET])
  const basic = Buffer.from(`demo-consumer-key:${DEMO_SECRET}`).toString('base64')
  const bought = await call(`${origins.base_url}/oauth2/token`, 'POST', {
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  })
  token = bought.body.access_token
  webhookId = (await api('POST', '/2/webhooks', { url: receiver.url })).data.id
})
after(async () => {
  await receiver[Symbol.asyncDispose]()
  await postern.end('SIGTERM')
  await rm(folder, { recursive: true })
})

async function api(method: string, path: string, json: object) {
  const { status, body, text } = await call(origins.base_url + path, method, { token, json })
  assert.equal(status, 200, text)
  return body
}

const subscribe = (event_type: string, filter: object, more: object = { webhook_id: webhookId }) =>
  api('POST', '/2/activity/subscriptions', { event_type, filter, ...more })

/** What `npm run trigger` says, in this process. */
const trigger = async (...args: string[]) =>
  (await triggerHere([...args, '--url', origins.base_url], readSettings({ POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN }))).join('\n')

const refused = (...args: string[]): Promise<Error> =>
  trigger(...args).then(
    (said) => assert.fail(said),
    (error) => error,
  )

/** What the callback got of an event that was triggered. */
async function receivedOf(said: string) {
  const [, eventUuid] = /^event \S+ (\S+) about user/.exec(said)!
  const find = () => receiver.events.find(({ data }) => data?.event_uuid === eventUuid)
  await receiver.when(() => find() !== undefined)
  return find()!.data!
}

const filterOf = (name: EventTypeName) => (name === 'news.new' ? { keyword: 'lighthouse' } : { user_id: '101' })

test('an event of every type reaches a callback that has subscribed to it, as its type declares', async () => {
  for (const name of eventTypeNames) {
    await subscribe(name, filterOf(name))
    const said = await trigger(name)
    assert.match(said, new RegExp(`delivered to ${receiver.url} \\(webhook ${webhookId}\\): 200 in [0-9]+ ms`), name)
    assert.doesNotMatch(said, /warning/, name)
    assert.equal((await receivedOf(said)).event_type, name)
  }
})

test('users, direction and members of the payload are those given; users of the seed have their names', async () => {
  await subscribe('dm.received', { user_id: '103' })
  const sent = await receivedOf(await trigger('dm.received', '--user', '103', '--to', '102', 'text=Ahoy there'))
  const { direct_message_events: messages, users } = sent.payload as {
    direct_message_events: { message_create: { target: object; sender_id: string; message_data: { text: string } } }[]
    users: Record<string, { data: { username: string } }>
  }
  const { target, sender_id, message_data } = messages[0]!.message_create
  assert.deepEqual([target, sender_id, message_data.text], [{ recipient_id: '103' }, '102', 'Ahoy there'])
  assert.deepEqual([users['102']!.data.username, users['103']!.data.username], ['grace', 'saltmere_news'])

  await subscribe('FollowFollow', { user_id: '7', direction: 'received' })
  const followed = await receivedOf(await trigger('FollowFollow', '--user', '7', '--direction', 'received'))
  const { source, target: followee } = followed.payload as Record<string, { data: { id: string; username: string } }>
  assert.deepEqual([followed.event_type, source!.data.id, followee!.data.id], ['follow.follow', '102', '7'])
  assert.equal(followee!.data.username, 'user7')
})

test('where no callback gets an event, it says why', async () => {
  assert.match(await trigger('post.delete', '--user', '8'), /no callback got it\nDemo: subscription \d+ is for user 101, not 8/)
  await subscribe('dm.sent', { user_id: '104' }, {})
  assert.match(
    await trigger('dm.sent', '--user', '104'),
    /subscription \d+ matches and has no webhook: its events go to the activity stream alone/,
  )
  await subscribe('follow.unfollow', { user_id: '9', direction: 'received' })
  assert.match(await trigger('follow.unfollow', '--user', '9'), /is for the direction received, not sent/)
  await subscribe('post.create', { user_id: '9', keyword: 'lighthouse' })
  assert.match(await trigger('post.create', '--user', '9', 'text=Rain'), /is for texts that match the keyword lighthouse/)
  assert.match(await trigger('post.create', '--user', '9', 'text=A lighthouse'), /delivered/)
  await call(`${origins.base_url}/operator/tokens/revoke`, 'POST', { token: OPERATOR_TOKEN, json: { user_id: '104' } })
  assert.match(await trigger('dm.sent', '--user', '104'), /has no effect: user 104 must grant the app OAuth 1\.0a with/)
})

test('it says so where a callback is invalid, and where an event is not as its type declares', async () => {
  assert.doesNotMatch(await trigger('profile.update.bio', 'before=1', 'after='), /warning/)
  const wrong = await trigger('mute.mute', 'source={"data":{}}')
  assert.match(wrong, /warning: \$\.payload\.source\.data\.id: is missing but it is required/)
  receiver.intercept = (request, response) => {
    if (request.method !== 'GET') return false
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"response_token":"sha256=wrong"}')
    return true
  }
  await call(`${origins.base_url}/2/webhooks/${webhookId}`, 'PUT', { token })
  receiver.intercept = undefined
  const invalid = await trigger('profile.update.bio')
  assert.match(invalid, new RegExp(`not sent to ${receiver.url} .*: webhook invalid; validate it with PUT /2/webhooks/${webhookId}`))
  await api('PUT', `/2/webhooks/${webhookId}`, {})
})

test('the command says the same, lists every type without arguments, and exits with 1 when it is refused', async () => {
  const command = (...args: string[]) =>
    run(process.execPath, [join(root, 'server/scripts/trigger.ts'), ...args], {
      cwd: folder,
      env: { ...process.env, POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN, POSTERN_PORT: new URL(origins.base_url).port },
    })
  const { stdout } = await command()
  for (const name of eventTypeNames) assert.match(stdout, new RegExp(`^${name} +[A-Z]`, 'm'))
  assert.match((await command('mute.mute', '--user', '101')).stdout, /^event mute\.mute \d+ about user 101\ndelivered to http/)
  const failed = await command('dm.forgotten').catch((error) => error)
  assert.deepEqual([failed.code, failed.stderr], [1, 'dm.forgotten is no event type; npm run trigger lists them\n'])
})

test('it refuses what it does not know, and says what there is', async () => {
  assert.match((await refused('dm.forgotten')).message, /dm\.forgotten is no event type/)
  assert.match((await refused('post.delete', 'author=1')).message, /no member author, but id, author_id/)
  assert.match((await refused('post.delete', 'author')).message, /author is not name=value/)
  assert.match((await refused('post.delete', '--user', 'ada')).message, /ada is no user id/)
  assert.match((await refused('post.delete', '--direction', 'both')).message, /--direction is sent or received/)
  const nowhere = ['post.delete', '--url', `http://127.0.0.1:${await freePort()}`]
  const environment = { POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN }
  await assert.rejects(triggerHere(nowhere, readSettings(environment)), /ECONNREFUSED.*; start Postern with npm start/)
})

test('the README names the command', async () => {
  assert.match(await readFile(join(root, 'README.md'), 'utf8'), /npm run -s trigger -- dm\.received/)
})
