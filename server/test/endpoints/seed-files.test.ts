import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readSeed } from '../../src/endpoints/operator/seed/read-seed.ts'
import { MAX_LONG, writeExactJson } from '../../src/lib/numbers.ts'
import { setStage } from '../stage/postern.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-seeds-'))
after(() => rmSync(folder, { recursive: true }))

const path = join(folder, 'seed.json')
const write = (document: unknown) => writeFileSync(path, JSON.stringify(document), { mode: 0o600 })

const wrong = [
  { accounts: [{ name: 'x', other: 1 }] },
  { accounts: [{ name: 'x', promoted_tweets: [{ tweet_id: 12 }] }], apps: [{}] },
  { accounts: [{ name: 'x', promoted_tweets: [], promoted_posts: [] }] },
  { webhooks: [{ consumer_key: 'k', url: 'https://example.com', created_at: '2026-02-30T12:00:00.000Z' }] },
  { users: {} },
  [],
]

test('a seed file is rejected with the same messages as a posted seed', async () => {
  await using stage = await setStage()
  for (const document of wrong) {
    write(document)
    const answer = await stage.operator('POST', '/operator/seed', document)
    assert.equal(answer.status, 400, answer.text)
    const messages = answer.body.errors.map(({ message }: { message: string }) => message)
    await assert.rejects(readSeed(path), { message: `the seed ${path} is invalid: ${messages.join('; ')}` })
  }
})

test('the amounts of a seed file are exact to 2^63 - 1; beyond that they are rejected as in a posted seed', async () => {
  const accountsOf = (amount: bigint) => [{ name: 'x', campaigns: [{ name: '"4', total_budget_amount_local_micro: amount }] }]
  const writeWith = (amount: bigint) => {
    const accounts = writeExactJson(accountsOf(amount)).replace(String(amount), `/* micros */ ${amount}`)
    const filter = `{ "user_id": ${amount} }`
    const subscriptions = `[{ "consumer_key": "k", "event_type": "dm.received", "filter": ${filter} }]`
    writeFileSync(path, `{ // ${amount},\n "accounts": ${accounts}, "subscriptions": ${subscriptions}, }`, { mode: 0o600 })
  }
  for (const amount of [2n ** 53n + 1n, MAX_LONG]) {
    writeWith(amount)
    const { document } = await readSeed(path)
    assert.deepEqual(document.accounts, accountsOf(amount))
    assert.deepEqual(document.subscriptions?.[0]?.filter, { user_id: Number(amount) }, 'what is no long is read as ever')
  }
  writeWith(MAX_LONG + 1n)
  await using stage = await setStage()
  const posted = await stage.operator('POST', '/operator/seed', { accounts: accountsOf(MAX_LONG + 1n) })
  const messages = posted.body.errors.map(({ message }: { message: string }) => message)
  const says = 'total_budget_amount_local_micro: must be a whole number between 1 and 9223372036854775807, in digits'
  assert.equal(messages[0], `$.accounts.0.campaigns.0.${says}`)
  await assert.rejects(readSeed(path), { message: `the seed ${path} is invalid: ${messages.join('; ')}` })
})

test('a seed file may use either spelling', async () => {
  write({
    apps: [{ name: 'x', sign_in_with_twitter: true }],
    accounts: [{ name: 'x', promoted_tweets: [{ line_item_id: 'l', tweet_id: '1' }] }],
  })
  assert.deepEqual((await readSeed(path)).document, {
    apps: [{ name: 'x', sign_in_with_service: true }],
    accounts: [{ name: 'x', promoted_posts: [{ line_item_id: 'l', post_id: '1' }] }],
  })
})

test('ids and times of an account are parsed in a seed file as in a request', async () => {
  write({
    accounts: [{ id: 'A1', name: 'x', created_at: '2026-01-01', campaigns: [{ id: 'C1', end_time: '2026-01-01T01:00:00.5+01:00' }] }],
  })
  assert.deepEqual((await readSeed(path)).document, {
    accounts: [{ id: 'a1', name: 'x', created_at: '2026-01-01T00:00:00Z', campaigns: [{ id: 'c1', end_time: '2026-01-01T00:00:00Z' }] }],
  })
})

test("the handbook's example of an account can be loaded", async () => {
  const handbook = readFileSync(join(import.meta.dirname, '../../../docs/seeds.md'), 'utf8')
  writeFileSync(path, /```jsonc\n(.*?)```/s.exec(handbook)![1]!, { mode: 0o600 })
  const { document } = await readSeed(path)
  await using stage = await setStage({ seed: { ...document, users: [{ id: '101', username: 'ada' }] } })
  const { created, existing } = (await stage.operator('POST', '/operator/seed', document)).body.data
  assert.deepEqual([created, existing], [[], [{ kind: 'accounts', id: document.accounts![0]!.id }]])
})
