import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasonOf } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp } from '../stage/postern.ts'
import { setRace } from '../stage/race.ts'

const AT_ONCE = 20
const ROUNDS = 2

/** Spellings of one URL. */
const spellings = (url: string) => [
  url,
  url.replace('http:', 'HTTP:'),
  url.replace('/webhook', '/./webhook'),
  url.replace('/webhook', '/x/../webhook'),
]

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: of twenty concurrent registrations of one URL in any spelling, one succeeds`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    for (let round = 0; round < ROUNDS; round += 1) {
      receiver.hold('GET')
      const registering = Array.from({ length: AT_ONCE }, (_, n) => {
        const url = spellings(receiver.url)[n % 4]
        return (n % 2 ? one : other).api('POST', '/2/webhooks', { token, json: { url } })
      })
      await receiver.holding(AT_ONCE)
      receiver.letGo()
      const answers = await Promise.all(registering)
      const made = answers.filter(({ status }) => status === 200)
      const refused = answers.map(reasonOf).filter((reason) => reason === 'DuplicateUrlFailed')
      assert.deepEqual([made.length, refused.length], [1, AT_ONCE - 1])
      const { data } = (await other.api('GET', '/2/webhooks', { token })).body
      assert.deepEqual(data, [made[0]!.body.data])
      assert.equal((await one.api('DELETE', `/2/webhooks/${data[0].id}`, { token })).status, 200)
    }
  })

  test(`${flavour}: of twenty concurrent registrations as many succeed as the app may have`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    for (let round = 0; round < ROUNDS; round += 1) {
      receiver.hold('GET')
      const registering = Array.from({ length: AT_ONCE }, (_, n) =>
        (n % 2 ? one : other).api('POST', '/2/webhooks', { token, json: { url: `${receiver.url}/${n}` } }),
      )
      await receiver.holding(AT_ONCE)
      receiver.letGo()
      const answers = await Promise.all(registering)
      const made = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.id)
      const refused = answers.map(reasonOf).filter((reason) => reason === 'WebhookLimitExceeded')
      assert.deepEqual([made.length, refused.length], [demoApp.webhook_limit, AT_ONCE - demoApp.webhook_limit])
      const { data } = (await other.api('GET', '/2/webhooks', { token })).body
      assert.deepEqual(data.map(({ id }: { id: string }) => id).sort(), made.sort())
      for (const id of made) assert.equal((await one.api('DELETE', `/2/webhooks/${id}`, { token })).status, 200)
    }
  })
}
