import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const HOSTILE = ['100%', '50_50', 'a\\\\b', '"quoted"', '.*', '[a-z]+(', "it's", 'é\u{1f600}', '\u2028', '\n', "'; drop table event; --"]

/** The hour around now. */
const recent = (stage: Stage) => ({
  from: new Date(stage.clock.now() - 1_800_000).toISOString(),
  to: new Date(stage.clock.now() + 1_800_000).toISOString(),
})

const search = (stage: Stage, query: Record<string, string>) =>
  stage.operator('GET', `/operator/events?${new URLSearchParams({ ...recent(stage), ...query })}`)

interface Found {
  event_uuid: string
  path: string
  excerpt: string
}

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: a text is found as it is, in values, names and large numbers, and no character has a meaning`, async () => {
    await using stage = await setStage({ flavour })
    const uuids = await stage.publish(...HOSTILE.map((text) => ({ message: { text: `before ${text} after` } })))
    for (const [place, text] of HOSTILE.entries()) {
      const answer = await search(stage, { text })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(
        answer.body.data.map(({ event_uuid, path, excerpt }: Found) => [event_uuid, path, excerpt]),
        [[uuids[place], 'payload.message.text', `before ${text} after`]],
        text,
      )
    }
    const [large] = await stage.publish({ list: [{ id: 1 }, { id: 7_000_000_001, Odd_Name: true }] })
    assert.deepEqual(
      (await search(stage, { text: '7000000001' })).body.data.map(({ event_uuid, path }: Found) => [event_uuid, path]),
      [[large, 'payload.list[1].id']],
    )
    assert.equal((await search(stage, { text: 'Odd_Name' })).body.data[0].path, 'payload.list[1].Odd_Name')
    assert.deepEqual((await search(stage, { text: 'odd_name' })).body.data, [], 'capitals count')
    for (const text of ['payload', '{', '":"', 'dm.received']) assert.deepEqual((await search(stage, { text })).body.data, [], text)
  })

  test(`${flavour}: the newest come first, in pages that go on where they stopped, within the window alone`, async () => {
    await using stage = await setStage({ flavour })
    const early = await stage.publish({ text: 'needle early' })
    stage.clock.advance(7_200_000)
    await stage.publish(...Array.from({ length: 80 }, (_, n) => ({ text: `needle ${n}` })), { text: 'hay' })
    const window = recent(stage)
    const found: string[] = []
    let before: string | undefined
    do {
      const { body } = await search(stage, { text: 'needle', ...window, ...(before !== undefined && { before }) })
      assert.ok(body.data.length <= 50)
      assert.equal(body.meta.result_count, body.data.length)
      found.push(...body.data.map(({ excerpt }: Found) => excerpt))
      before = body.meta.next_before
      if (before === undefined) assert.equal(body.meta.looked_until, window.from)
    } while (before !== undefined)
    assert.deepEqual(
      found,
      Array.from({ length: 80 }, (_, n) => `needle ${79 - n}`),
    )
    const all = { from: new Date(stage.clock.now() - 10_800_000).toISOString() }
    assert.deepEqual((await search(stage, { text: 'needle early', ...all })).body.data[0].event_uuid, early[0])
  })
}

test('the excerpt of a long text is the part around what was found', async () => {
  await using stage = await setStage()
  await stage.publish({ text: `${'a'.repeat(500)}needle${'b'.repeat(500)}` })
  const [{ excerpt }] = (await search(stage, { text: 'needle' })).body.data
  assert.equal(excerpt, `…${'a'.repeat(40)}needle${'b'.repeat(40)}…`)
})
