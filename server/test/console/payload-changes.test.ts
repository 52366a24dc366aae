import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Json, readJson, writeJson } from '../../../console/src/exact-json.ts'
import { changesOf } from '../../../console/src/payload-changes.ts'
import { eventTypeNames } from '../../src/delivery/events/event-types.ts'
import { printedExample } from '../../src/endpoints/events/event-content.ts'
import { setMember } from '../../src/endpoints/events/set-member.ts'

const exact = (value: unknown) => readJson(JSON.stringify(value))

/** The same value with another text in one place, for each place that has a text. */
function* edits(value: Json): Generator<Json> {
  if (value.type === 'string') yield { type: 'string', value: `${value.value} edited` }
  if (value.type === 'array')
    for (const [place, item] of value.items.entries())
      for (const edited of edits(item)) yield { ...value, items: value.items.with(place, edited) }
  if (value.type === 'object')
    for (const [place, [name, member]] of value.members.entries())
      for (const edited of edits(member)) yield { ...value, members: value.members.with(place, [name, edited]) }
}

test('what was edited in the form of an example is what the server makes of its example, for every text of every event type', () => {
  let count = 0
  for (const type of eventTypeNames) {
    const { payload } = printedExample(type)
    for (const edited of edits(exact(payload))) {
      const made = structuredClone(payload)
      for (const [name, value] of Object.entries(changesOf(exact(payload), edited))) setMember(made, name, JSON.parse(writeJson(value)))
      assert.equal(JSON.stringify(made), writeJson(edited, ''), type)
      count += 1
    }
  }
  assert.ok(count > 300, String(count))
})

test('an example that was not edited has no changes, and a member whose name only one has is sent by its name', () => {
  const example = exact({ users: { 101: { name: 'Ada' }, 102: { name: 'Grace' } }, message: { text: 'Ahoy', id: '9007199254740993' } })
  assert.deepEqual(changesOf(example, example), {})
  const edited = exact({ users: { 101: { name: 'Ada' }, 102: { name: 'Mina' } }, message: { text: 'Hello', id: '9007199254740993' } })
  assert.deepEqual(changesOf(example, edited), {
    users: exact({ 101: { name: 'Ada' }, 102: { name: 'Mina' } }),
    text: { type: 'string', value: 'Hello' },
  })
})
