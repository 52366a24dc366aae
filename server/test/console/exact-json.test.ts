import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, readJson, writeJson } from '../../../console/src/exact-json.ts'

test('the console reads JSON and writes it again with every digit, name and escape', () => {
  for (const text of [
    '{"id":9007199254740993123,"list":[1.50,-0,1e400,true,null,[],{}],"a \\"b\\"":"\\u00e9\\n"}',
    '"text"',
    ' [ 1 , 2 ] ',
  ])
    assert.equal(writeJson(readJson(text), ''), text.replace(/\s*([[\],])\s*/g, '$1').replace('\\u00e9', 'é'))
  assert.equal(writeJson(at(readJson('{"a":[{"b":12345678901234567890}]}'), 'a', 0, 'b')!), '12345678901234567890')
  assert.equal(at(readJson('{"a":1}'), 'a', 'b'), undefined)
})

test('the console takes for JSON only what is JSON', () => {
  for (const text of ['', '{', '[1,]', '{"a"}', '{"a":1,}', '[1 2]', '01', 'nul', '{} {}', "'a'", '"a'])
    assert.throws(() => readJson(text), SyntaxError, text)
})
