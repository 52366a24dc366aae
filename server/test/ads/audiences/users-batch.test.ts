import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ACCOUNT, adsCaller, dataOf, mistakesOf } from '../../stage/ads.ts'
import { AUDIENCES, operationErrorsOf, remove, seedWithAudiences, sendBody, sha, update, usersFrom } from '../../stage/ads-audiences.ts'
import { databasesOf } from '../../stage/databases.ts'
import { type Stage, setStage } from '../../stage/postern.ts'

const USERS = `${AUDIENCES}/a1/users`
const seed = seedWithAudiences()
const sizeOf = async (stage: Stage) => dataOf(await adsCaller(stage)('GET', `${AUDIENCES}/a1`)).audience_size

const h = sha('x')
const hashes = (count: number) => Array.from({ length: count }, (_, index) => sha(`x${index}`))
const counts = (count: number) => [{ success_count: count, total_count: count }]

/** Operations that are refused, with the code and the parameter of each error. */
const refused: [what: string, operation: unknown, ...errors: string[]][] = [
  ['no object', 7, 'INVALID_PARAMETER operation_type'],
  ['null', null, 'INVALID_PARAMETER operation_type'],
  ['nothing', {}, 'MISSING_PARAMETER operation_type', 'MISSING_PARAMETER params'],
  ['another type', { ...update([{ email: [h] }]), operation_type: 'Upsert' }, 'INVALID_PARAMETER operation_type'],
  ['a type in lower case', { ...update([{ email: [h] }]), operation_type: 'update' }, 'INVALID_PARAMETER operation_type'],
  ['no params', { operation_type: 'Update' }, 'MISSING_PARAMETER params'],
  ['a list as params', { operation_type: 'Update', params: [] }, 'INVALID_PARAMETER params'],
  ['no users', { operation_type: 'Update', params: {} }, 'MISSING_PARAMETER users'],
  ['an empty list of users', update([]), 'INVALID_PARAMETER users'],
  ['users that are no list', { operation_type: 'Update', params: { users: { email: [h] } } }, 'INVALID_PARAMETER users'],
  ['a user without identifiers', update([{}]), 'INVALID_PARAMETER users'],
  ['a user with empty lists', update([{ email: [], handle: [] }]), 'INVALID_PARAMETER users'],
  ['a user that is no object', update([h as never]), 'INVALID_PARAMETER users'],
  ['an unknown key', update([{ email: [h], emails: [h] }]), 'INVALID_PARAMETER emails'],
  ['a prototype key', update([{ email: [h], toString: [h] }]), 'INVALID_PARAMETER toString'],
  ['a key that is no list', update([{ email: h }]), 'INVALID_PARAMETER email'],
  ['a plain email', update([{ email: ['ada@example.com'] }]), 'INVALID_PARAMETER email'],
  ['63 digits', update([{ email: [h.slice(1)] }]), 'INVALID_PARAMETER email'],
  ['65 digits', update([{ email: [`${h}0`] }]), 'INVALID_PARAMETER email'],
  ['a letter that is no digit', update([{ email: [`g${h.slice(1)}`] }]), 'INVALID_PARAMETER email'],
  ['a number', update([{ email: [7] }]), 'INVALID_PARAMETER email'],
  ...['device_id', 'handle', 'service_id', 'twitter_id', 'phone_number'].map((key): [string, unknown, string] => [
    `a plain ${key}`,
    update([{ [key]: ['plain'] }]),
    `INVALID_PARAMETER ${key}`,
  ]),
  ['more than 100 identifiers of a user', update([{ email: hashes(60), phone_number: hashes(41) }]), 'INVALID_PARAMETER phone_number'],
  ['an empty partner_user_id', update([{ partner_user_id: [''] }]), 'INVALID_PARAMETER partner_user_id'],
  [
    'several wrong keys',
    update([{ email: ['x'] }, { handle: ['x'], email: ['y'] }]),
    'INVALID_PARAMETER email',
    'INVALID_PARAMETER handle',
  ],
  ['a wrong key before an empty one', update([{ email: ['x'], handle: [] }]), 'INVALID_PARAMETER email'],
  ['no time', update([{ email: [h] }], { effective_at: 'soon' }), 'INVALID_PARAMETER effective_at'],
  ['a number as time', update([{ email: [h] }], { expires_at: 1_900_000_000 }), 'INVALID_PARAMETER expires_at'],
  [
    'an end at the begin',
    update([{ email: [h] }], { effective_at: '2026-06-01', expires_at: '2026-06-01' }),
    'INVALID_TIME_WINDOW expires_at',
  ],
  ['an end before now', update([{ email: [h] }], { expires_at: '2020-01-01' }), 'INVALID_TIME_WINDOW expires_at'],
  ['a begin after the default end', update([{ email: [h] }], { effective_at: '2099-01-01' }), 'INVALID_TIME_WINDOW expires_at'],
  [
    'a deletion with its end first',
    remove([{ email: [h] }], { effective_at: '2026-06-02', expires_at: '2026-06-01' }),
    'INVALID_TIME_WINDOW expires_at',
  ],
]

/** Operations that are taken, and how many users they have. */
const taken: [what: string, operation: unknown, users: number][] = [
  [
    'each key, hashed',
    update([{ email: [h], device_id: [h], handle: [h], service_id: [h], phone_number: [h], partner_user_id: ['plain text'] }]),
    1,
  ],
  ['100 identifiers of a user', update([{ email: hashes(60), phone_number: hashes(40) }]), 1],
  ['the other name of service_id', update([{ twitter_id: [h] }]), 1],
  ['upper case', update([{ email: [h.toUpperCase()] }]), 1],
  ['keys that are null or empty beside another', update([{ email: null, handle: [], phone_number: [h] }]), 1],
  ['several users', update([{ email: [h] }, { email: [sha('y')] }]), 2],
  ['times', update([{ email: [h] }], { effective_at: '2026-06-01T00:00:00+02:00', expires_at: '2099-01-01' }), 1],
  ['times that are null', update([{ email: [h] }], { effective_at: null, expires_at: null }), 1],
  ['a begin in the past', update([{ email: [h] }], { effective_at: '2020-01-01', expires_at: '2020-02-01' }), 1],
  ['the first second', update([{ email: [h] }], { effective_at: '1970-01-01T00:00:00Z', expires_at: '1970-01-01T00:00:01Z' }), 1],
  ['a deletion', remove([{ email: [h] }]), 1],
  ['a deletion with an end in the past', remove([{ email: [h] }], { expires_at: '2020-01-01' }), 1],
  ['what an operation does not have', { ...update([{ email: [h] }]), more: 1 }, 1],
]

for (const flavour of databasesOf(import.meta))
  suite(`users of an audience on ${flavour}`, () => {
    test('each rule of an operation is checked, and an error has the index of its operation and the key', async () => {
      await using stage = await setStage({ flavour, seed })
      for (const [what, operation, ...errors] of refused) {
        const answer = await sendBody(stage, USERS, [update(usersFrom(1, 1)), operation, update(usersFrom(2, 1))])
        assert.deepEqual(operationErrorsOf(answer), [400, ...errors.map((error) => `1 ${error}`)], `${what}: ${answer.text}`)
        assert.deepEqual(Object.keys(answer.body), ['operation_errors', 'request'], what)
        assert.equal(answer.body.operation_errors.length, 3, what)
        assert.deepEqual(answer.body.request, { params: { account_id: ACCOUNT, custom_audience_id: 'a1' } })
      }
      assert.equal(await sizeOf(stage), null, 'nothing was written')
      for (const [what, operation, users] of taken) {
        const answer = await sendBody(stage, USERS, [operation])
        assert.deepEqual([answer.status, answer.body?.data], [200, counts(users)], `${what}: ${answer.text}`)
      }
    })

    test('an error repeats at most the beginning of a long value or key, and an operation has at most ten errors of its users', async () => {
      await using stage = await setStage({ flavour, seed })
      const long = 'x'.repeat(5000)
      const keys = Object.fromEntries(Array.from({ length: 11 }, (_, place) => [`key${place}`, [h]]))
      const operations = [{ ...update([{ email: [h] }]), operation_type: long }, update([{ [long]: [h] }]), update([keys])]
      const { status, body } = await sendBody(stage, USERS, operations)
      const [ofType, ofKey, ofKeys] = body.operation_errors
      assert.deepEqual([status, ofType.length, ofKey.length, ofKeys.length], [400, 1, 1, 10])
      for (const { message } of [...ofType, ...ofKey]) assert.ok(message.length < 300, `${message.length} characters`)
    })

    test('the answer has the parameters of the path and the number of users', async () => {
      await using stage = await setStage({ flavour, seed })
      const answer = await sendBody(stage, `${AUDIENCES}/A1/users`, [update(usersFrom(1, 3)), remove(usersFrom(2, 1))])
      assert.deepEqual(answer.body, {
        request: { params: { account_id: ACCOUNT, custom_audience_id: 'A1' } },
        data: [{ success_count: 4, total_count: 4 }],
      })
      assert.equal(await sizeOf(stage), 2)
    })

    test('2,500 operations are taken, one more is not, and one wrong operation leaves nothing of the others', async () => {
      await using stage = await setStage({ flavour, seed })
      const operations = usersFrom(0, 2500).map((user) => update([user]))
      const wrong = await sendBody(stage, USERS, operations.with(2499, update([{ email: ['ada@example.com'] }])))
      assert.deepEqual(operationErrorsOf(wrong), [400, '2499 INVALID_PARAMETER email'])
      assert.ok(!wrong.text.includes('ada@example.com'), 'an address is not repeated')
      assert.equal(await sizeOf(stage), null)
      const many = await sendBody(stage, USERS, [...operations, update(usersFrom(2500, 1))])
      assert.deepEqual(mistakesOf(many), [400, 'INVALID_PARAMETER'])
      assert.equal(await sizeOf(stage), null)
      assert.deepEqual(dataOf(await sendBody(stage, USERS, operations)), counts(2500))
      assert.equal(await sizeOf(stage), 2500)
    })

    test('75,000 identifiers are taken in a request, and one more is not', async () => {
      await using stage = await setStage({ flavour, seed })
      const users = Array.from({ length: 750 }, () => ({ partner_user_id: Array(100).fill('p') }))
      const many = await sendBody(stage, USERS, [update(users), update([{ partner_user_id: ['p'] }])])
      assert.deepEqual(mistakesOf(many), [400, 'INVALID_PARAMETER'])
      assert.match(many.body.errors[0].message, /at most 75000 identifiers/)
      assert.deepEqual(dataOf(await sendBody(stage, USERS, [update(users)])), counts(750))
      assert.equal(await sizeOf(stage), 1)
    })

    test('forty batches of an account at the same time, each of 200 users, are all applied', async () => {
      await using stage = await setStage({ flavour, seed })
      const batches = Array.from({ length: 40 }, (_, index) => usersFrom(index * 200, 200))
      const answers = await Promise.all(batches.map((users) => sendBody(stage, USERS, [update(users)])))
      assert.deepEqual(
        answers.map(({ status }) => status),
        batches.map(() => 200),
      )
      assert.equal(await sizeOf(stage), 8000)
    })

    test('the rate limit is 1,500 requests a minute, beside that of other writes', async () => {
      await using stage = await setStage({ flavour, seed })
      const { headers } = await sendBody(stage, USERS, [update(usersFrom(1, 1))])
      assert.deepEqual([headers.get('x-rate-limit-limit'), headers.get('x-rate-limit-remaining')], ['1500', '1499'])
      const resetMs = Number(headers.get('x-rate-limit-reset')) * 1000 - stage.clock.now()
      assert.ok(resetMs > 0 && resetMs <= 61_000, `${resetMs} ms`)
      const other = await adsCaller(stage)('POST', AUDIENCES, { name: 'Other' })
      assert.equal(other.headers.get('x-rate-limit-remaining'), '449')
    })
  })

suite('bodies that are refused before any database is asked', () => {
  test('a body that is no list of operations, or not JSON, gets one error of the request', async () => {
    await using stage = await setStage({ seed })
    const bodies: [unknown, RegExp][] = [
      ['', /list of operations/],
      ['{}', /list of operations/],
      ['null', /list of operations/],
      ['[]', /at least one operation/],
      [`[${'{},'.repeat(1_600_000)}{}]`, /at most 2500 operations/],
      [`[{"operation_type":"Update","params":{"users":[${'[],'.repeat(1_600_000)}[]]}}]`, /more than 607500 lists and objects/],
      ['[{"operation_type":"Update"', /not valid JSON/],
      ['[{"a":1,"a":2}]', /repeats a member name/],
      [`${'['.repeat(100_000)}`, /nested more than 64/],
      [`[${'[{"a":'.repeat(100_000)}`, /nested more than 64/],
      [Buffer.from([0x5b, 0xff, 0x5d]), /UTF-8/],
    ]
    for (const [body, says] of bodies) {
      const answer = await sendBody(stage, USERS, body)
      assert.deepEqual(mistakesOf(answer), [400, 'INVALID_PARAMETER'], answer.text)
      assert.match(answer.body.errors[0].message, says)
    }
    assert.equal(await sizeOf(stage), null)
  })

  test('a body of another type is 415, one over 5,000,000 bytes 413, and one of 5,000,000 bytes is taken', async () => {
    await using stage = await setStage({ seed })
    const text = JSON.stringify([update(usersFrom(1, 1))])
    for (const contentType of ['text/plain', 'application/octet-stream'])
      assert.equal((await sendBody(stage, USERS, text, { contentType })).status, 415, contentType)
    const large = await sendBody(stage, USERS, text.padEnd(5_000_001))
    assert.deepEqual(mistakesOf(large), [413, 'REQUEST_TOO_LARGE'])
    assert.equal(await sizeOf(stage), null)
    assert.deepEqual(dataOf(await sendBody(stage, USERS, text.padEnd(5_000_000))), counts(1))
  })
})

test('in dialect x a message about a user names the keys as that dialect does', async () => {
  await using stage = await setStage({ seed: seedWithAudiences(), environment: { POSTERN_DIALECT: 'x' } })
  const keys = 'email, device_id, handle, twitter_id, phone_number, partner_user_id'
  const messagesOf = async (user: object) => {
    const answer = await sendBody(stage, `${AUDIENCES}/a1/users`, [update([user])])
    return answer.body.operation_errors.flat().map(({ message }: { message: string }) => message)
  }
  assert.deepEqual(await messagesOf({ foo: [h] }), [`A user has no "foo": expected one of ${keys} at params.users.0`])
  assert.deepEqual(await messagesOf({}), [`Expected at least one identifier for params.users.0: ${keys}`])
})
