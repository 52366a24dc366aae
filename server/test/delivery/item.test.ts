import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeState, createItem, type ItemState } from '../../src/delivery/dispatch/item.ts'
import type { Delivery } from '../../src/storage/event-log.ts'

/** Ways that a delivery in memory may go, each from its beginning. */
const WAYS: readonly (readonly ItemState[])[] = [
  ['sending', 'ended'],
  ['sending', 'postponed', 'waiting', 'sending', 'ended'],
  ['dropped'],
  ['sending', 'dropped'],
  ['sending', 'postponed', 'dropped'],
  ['sending', 'postponed', 'waiting', 'dropped'],
]
const STATES: readonly ItemState[] = ['waiting', 'sending', 'postponed', 'ended', 'dropped']

const itemAfter = (way: readonly ItemState[]) => {
  const item = createItem({} as Delivery)
  for (const state of way) changeState(item, state)
  return item
}

test('a delivery is sent, put off when the database does not answer, or dropped while it waits, is sent or is put off', () => {
  for (const way of WAYS) assert.equal(itemAfter(way).state, way.at(-1))
})

test('a delivery that has ended or was dropped is never sent or acknowledged again', () => {
  for (const way of [['sending', 'ended'], ['dropped']] as const)
    for (const state of STATES) assert.throws(() => changeState(itemAfter(way), state), /^Error: a delivery cannot go from/)
})

test('no delivery is sent twice at a time', () => {
  assert.throws(() => changeState(itemAfter(['sending']), 'sending'))
  assert.throws(() => changeState(itemAfter(['sending', 'postponed']), 'sending'))
})
