import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Origins } from '../../../server/src/assemble.ts'
import { eventTypeNames } from '../../../server/src/delivery/events/event-types.ts'
import { call } from '../../../server/test/stage/call.ts'
import { PosternProcess } from '../../../server/test/stage/postern-process.ts'
import { startReceiver, type TestReceiver } from '../../../server/test/stage/receiver.ts'
import { commands } from '../../src/cli/commands.ts'
import { startPostern } from '../../src/index.ts'
import { endCommands, root, runCommand } from './command.ts'

after(endCommands)

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

const run = (...args: string[]) => runCommand(['trigger', ...args], { url: origins.base_url })

/** What `postern trigger` says. */
async function trigger(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args)
  assert.equal(code, 0, stderr)
  return stdout
}

/** What the callback got of an event that was triggered. */
async function receivedOf(said: string) {
  const [, eventUuid] = /^event \S+ (\S+) about user/m.exec(said)!
  const find = () => receiver.events.find(({ data }) => data?.event_uuid === eventUuid)
  await receiver.when(() => find() !== undefined)
  return find()!.data!
}

test('it says where an event was delivered, and how long that took', async () => {
  await subscribe('mute.mute', { user_id: '101' })
  const said = await trigger('mute.mute', '--from', 'ada')
  assert.match(said, new RegExp(`delivered to ${receiver.url} \\(webhook ${webhookId}\\): 200 in [0-9]+ ms`))
  assert.doesNotMatch(said, /warning|example/)
  assert.match(said, /^POST \/2\/users\/:id\/muting was called by user 101 for user [0-9]+$/m)
  assert.equal((await receivedOf(said)).event_type, 'mute.mute')
})

test('users, direction and members of the payload are those given; users of the seed have their names', async () => {
  await subscribe('dm.received', { user_id: '103' })
  const sent = await receivedOf(await trigger('dm.received', '--to', '103', '--from', '102', 'text=Ahoy there'))
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
  assert.deepEqual([followed.event_type, source!.data.id, followee!.data.id], ['follow.follow', '101', '7'])
  assert.equal(followee!.data.username, 'user7')
})

test('the examples of trigger and publish do what they say on the demo seed, without a warning', async () => {
  await using fresh = await startPostern()
  const examples = commands.flatMap((command) => (/^(trigger|publish)$/.test(command.name) ? command.examples : []))
  assert.equal(examples.length, 7)
  for (const example of examples) {
    const line = typeof example === 'string' ? example : example.line
    const words = line.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'))
    const { code, stdout, stderr } = await runCommand(words.slice(1), {
      url: fresh.url,
      environment: { POSTERN_OPERATOR_TOKEN: fresh.operatorToken },
    })
    assert.equal(code, 0, `${line}: ${stderr}`)
    assert.doesNotMatch(stdout, /warning/, line)
  }
})

test('what the state of the server refuses ends with 1, and what is wrong on the command line with 2', async () => {
  const follows = ['follow.follow', '--from', 'grace', '--to', 'ada']
  const refused = await run(...follows)
  const says = '@grace (user 102) follows @ada (user 101) already: trigger follow.unfollow first, or name another user.'
  assert.deepEqual([refused.code, refused.stderr], [1, `POST /operator/trigger: 409 Conflict\n  ${says}\n`])
  const wrong = await run('dm.received', 'to=ada')
  const meant = 'to is no member of the payload. Did you mean --to ada?\nSee `postern trigger --help`.\n'
  assert.deepEqual([wrong.code, wrong.stderr], [2, meant])
})

test('a refusal of the action is told, and without waiting it says how to look', async () => {
  await subscribe('post.create', { user_id: '102' })
  const post = ['post.create', '--user', 'grace', '--text', 'Told once']
  assert.match(await trigger(...post, '--no-wait'), /^not awaited: postern deliveries --event [0-9]+$/m)
  const { code, stderr } = await run(...post)
  assert.equal(code, 1)
  assert.match(stderr, /duplicate content\. @grace \(user 102\) was refused POST \/2\/posts\./)
})

test('where no callback gets an event, it says why', async () => {
  await subscribe('post.delete', { user_id: '101' })
  assert.match(await trigger('post.delete', '--user', '8'), /no callback got it\nDemo: subscription \d+ is for user 101, not 8/)
  await subscribe('dm.sent', { user_id: '104' }, {})
  assert.match(
    await trigger('dm.sent', '--user', '104'),
    /subscription \d+ matches and has no webhook: its events go to the activity stream alone/,
  )
})

test('it says so where a callback is invalid, and where an event is not as its type declares', async () => {
  await subscribe('profile.update.bio', { user_id: '101' })
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

test('with --json it prints one document, with the event, what came of it and the deliveries', async () => {
  const { data, meta, warnings, deliveries } = JSON.parse(await trigger('mute.mute', '--from', 'ada', '--to', 'mina', '--json'))
  assert.deepEqual(
    [data.event.event_type, data.event.user_id, meta, warnings],
    ['mute.mute', '101', { subscriptions: 1, deliveries: 1 }, []],
  )
  assert.deepEqual([deliveries.length, deliveries[0].event_uuid, deliveries[0].outcome], [1, data.event_uuid, 'delivered'])
})

test('without an event type it lists every type with what happened', async () => {
  const lines = (await trigger()).split('\n')
  for (const name of eventTypeNames)
    assert.ok(
      lines.some((line) => new RegExp(`^${name} +[A-Z].*\\.$`).test(line)),
      name,
    )
})

test('it refuses what it does not know, and says what there is', async () => {
  const refused = async (expected: number, ...args: string[]) => {
    const { code, stderr, stdout } = await run(...args)
    assert.deepEqual([code, stdout], [expected, ''], stderr)
    return stderr
  }
  assert.match(await refused(2, 'dm.recieved'), /^dm\.recieved is no event type\. Did you mean dm\.received\?/)
  assert.equal(
    await refused(2, 'lunch.eaten'),
    'lunch.eaten is no event type. `postern trigger` lists them.\nSee `postern trigger --help`.\n',
  )
  assert.match(await refused(2, 'post.delete', 'author=1'), /no member author, but id, author_id/)
  assert.match(await refused(2, 'post.delete', 'author'), /^author is not name=value\.\n/)
  assert.equal(
    await refused(2, 'post.delete', '--user', 'adda'),
    'user: no user has the username adda. Did you mean ada? GET /operator/users lists them.\nSee `postern trigger --help`.\n',
  )
  assert.match(await refused(2, 'post.delete', '--direction', 'both'), /^--direction is one of sent, received, and not both\.\n/)
})

test('npm run trigger is the same command, and the README names it', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  assert.equal(scripts.trigger, 'exec node postern/src/cli/main.js trigger')
  assert.match(await readFile(join(root, 'README.md'), 'utf8'), /npx postern trigger dm\.received/)
})
