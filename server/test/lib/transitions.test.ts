import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedTransitions } from '../../src/lib/transitions.ts'

const transition = checkedTransitions<'green' | 'amber' | 'red'>('a light', { green: ['amber'], amber: ['amber', 'red'], red: ['green'] })

test('a state can be followed by the states in its row', () => {
  assert.equal(transition('green', 'amber'), 'amber')
  assert.equal(transition('amber', 'amber'), 'amber')
  assert.equal(transition('amber', 'red'), 'red')
})

test('any other transition throws, with the machine and both states', () => {
  assert.throws(() => transition('green', 'red'), /^Error: a light cannot go from green to red$/)
  assert.throws(() => transition('red', 'red'), /^Error: a light cannot go from red to red$/)
})
