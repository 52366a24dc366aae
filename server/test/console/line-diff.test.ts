import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diffLines } from '../../../console/src/line-diff.ts'

const marked = (first: string, second: string) => diffLines(first, second).map(({ mark, text }) => `${mark}${text}`)

test('lines of one text alone are marked, what is common stays in order', () => {
  assert.deepEqual(marked('a\nb\nc', 'a\nx\nc'), [' a', '-b', '+x', ' c'])
  assert.deepEqual(marked('a\nb\nc\nd', 'b\nd\ne'), ['-a', ' b', '-c', ' d', '+e'])
  assert.deepEqual(marked('same', 'same'), [' same'])
  assert.deepEqual(marked('a\na', 'a\na\na'), [' a', ' a', '+a'])
  assert.deepEqual(marked('', 'a'), ['-', '+a'])
})

test('texts that differ in too many lines are compared as wholes, apart from how they begin and end', () => {
  const many = (word: string) => Array.from({ length: 3000 }, (_, n) => `${word} ${n}`)
  const lines = marked(['begin', ...many('one'), 'end'].join('\n'), ['begin', ...many('other'), 'end'].join('\n'))
  assert.deepEqual(lines, [' begin', ...many('one').map((line) => `-${line}`), ...many('other').map((line) => `+${line}`), ' end'])
})
