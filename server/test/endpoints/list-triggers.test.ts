import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../stage/postern.ts'

interface Trigger {
  event_type: string
  action: string | null
  takes_text: boolean
}

test('GET /operator/trigger says of each event type which call it makes, whom it is about, and whether it takes a text', async () => {
  await using stage = await setStage()
  const { body } = await stage.operator('GET', '/operator/trigger')
  const of = (type: string) => body.data.find(({ event_type }: Trigger) => event_type === type)
  assert.equal(body.data.length, 42)
  assert.deepEqual(of('dm.received'), {
    event_type: 'dm.received',
    summary: 'A user received a direct message.',
    action: 'POST /2/dm_conversations/with/:participant_id/messages',
    about: 'target',
    to_another: true,
    takes_text: true,
  })
  assert.deepEqual([of('follow.follow').about, of('follow.follow').takes_text], ['either', false])
  assert.deepEqual([of('news.new').action, of('news.new').about, of('news.new').to_another], [null, null, false])
})

test('a type that says that it takes a text is triggered with one, and any other refuses it or has none to change', async () => {
  await using stage = await setStage()
  const { body } = await stage.operator('GET', '/operator/trigger')
  for (const { event_type, takes_text } of (body.data as Trigger[]).filter(({ action }) => action === null)) {
    const { status, text } = await stage.operator('POST', '/operator/trigger', { event_type, text: 'A text', wait: false })
    assert.equal(status, takes_text ? 202 : 400, `${event_type}: ${text}`)
  }
})
