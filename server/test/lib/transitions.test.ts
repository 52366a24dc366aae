import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedTransitions } from '../../src/lib/transitions.ts'

const transition = checkedTransitions<'green' | 'amber' | 'red'>('a light', { green: ['amber'], amber: ['amber', 'red'], red: ['green'] })

test('a state may be followed by those that its row names', () => {
  assert.equal(transition('green', 'amber'), 'amber')
  assert.equal(transition('amber', 'amber'), 'amber')
  assert.equal(transition('amber', 'red'), 'red')
})

test('any other transition throws, and says which machine went from where to where', () => {
  assert.throws(() => transition('green', 'red'), /^Error: a light cannot go from green to red$/)
  assert.throws(() => transition('red', 'red'), /^Error: a light cannot go from red to red$/)
})
