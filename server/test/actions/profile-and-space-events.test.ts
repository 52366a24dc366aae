// What changes of profiles and of spaces announce.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, setProfile } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { listening, outboxOf, subjectsOf, userJson, type Wanted } from '../stage/heard.ts'
import type { Stage } from '../stage/postern.ts'

const PROFILE = ['bio', 'geo', 'screenname', 'url'].map((member): Wanted => [`profile.update.${member}`, '101'])
const SPACES: Wanted[] = [
  ['spaces.start', '101'],
  ['spaces.end', '101'],
]

const update = async (stage: Stage, form: Record<string, string>) => {
  const answer = await callAs(stage, '101', 'POST', '/1.1/account/update_profile.json', { form })
  assert.equal(answer.status, 200, answer.text)
}

const space = async (stage: Stage, method: string, path: string, json: object): Promise<string> => {
  const answer = await callAs(stage, '101', method, path, { json })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.id
}

for (const flavour of databasesOf(import.meta))
  suite(`events of profiles and spaces on ${flavour}`, () => {
    test('each member of a profile that changes is announced by itself, with what it was and is', async () => {
      await using they = await listening(flavour, ['101', '102'], PROFILE)
      await update(they.stage, { name: 'Ada', description: 'On tides', location: 'Turin', url: 'https://example.com/ada' })
      const events = await they.heard()
      assert.deepEqual(
        events.map(({ event_type, payload }) => [event_type, payload]),
        [
          ['profile.update.bio', { before: '', after: 'On tides' }],
          ['profile.update.geo', { before: '', after: 'Turin' }],
          ['profile.update.screenname', { before: 'User 101', after: 'Ada' }],
          ['profile.update.url', { before: '', after: 'https://example.com/ada' }],
        ],
      )
    })

    test('a profile that says the same announces nothing, and one that changes in part only that part', async () => {
      await using they = await listening(flavour, ['101', '102'], PROFILE)
      await update(they.stage, { name: 'User 101', description: '' })
      assert.deepEqual(await outboxOf(they.stage.databaseUrl), [])
      await update(they.stage, { name: 'User 101', description: 'On tides' })
      await update(they.stage, { description: '' })
      const events = await they.heard()
      assert.deepEqual(subjectsOf(events), ['profile.update.bio 101', 'profile.update.bio 101'])
      assert.deepEqual(events.map(({ payload }) => JSON.stringify(payload)).sort(), [
        '{"before":"","after":"On tides"}',
        '{"before":"On tides","after":""}',
      ])
    })

    test('profiles of protected users are public, and so are their changes', async () => {
      await using they = await listening(flavour, ['101', '102'], PROFILE)
      await setProfile(they.stage, '101', 'protected', true)
      await update(they.stage, { location: 'Turin' })
      assert.deepEqual(subjectsOf(await they.heard()), ['profile.update.geo 101'])
    })

    test('a space announces its start and its end, once; a scheduled one and a new title announce nothing', async () => {
      await using they = await listening(flavour, ['101', '102'], SPACES)
      const { stage } = they
      const scheduled_start = new Date(stage.clock.now() + 3_600_000).toISOString()
      const id = await space(stage, 'POST', '/2/spaces', { title: 'Knots', scheduled_start })
      await space(stage, 'PUT', `/2/spaces/${id}`, { title: 'Splices' })
      assert.deepEqual(await they.heard(), [])
      for (const state of ['live', 'live', 'ended', 'ended']) await space(stage, 'PUT', `/2/spaces/${id}`, { state })
      const events = await they.heard()
      assert.deepEqual(subjectsOf(events), ['spaces.end 101', 'spaces.start 101'])
      const { created_at } = (await callAs(stage, '101', 'GET', '/2/users/101?user.fields=created_at')).body.data
      const user = { data: userJson('101', created_at) }
      assert.deepEqual(
        events.map(({ payload }) => payload),
        [
          { user, broadcast_id: id, event_type: 'spaces_end' },
          { user, broadcast_id: id, event_type: 'spaces_start' },
        ],
      )
    })

    test('a space that is live from the beginning announces its start', async () => {
      await using they = await listening(flavour, ['101', '102'], SPACES)
      const id = await space(they.stage, 'POST', '/2/spaces', { title: 'Knots' })
      const [event, ...more] = await they.heard()
      assert.deepEqual([event!.event_type, event!.payload.broadcast_id, more], ['spaces.start', id, []])
    })
  })
