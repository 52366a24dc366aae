import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeRequest } from '../../src/delivery/send/connection.ts'

const encode = (...given: Parameters<typeof encodeRequest>) => encodeRequest(...given).toString('latin1')

test('a request is written in one piece: the host and the connection first, the length last', () => {
  const headers = ['content-type', 'application/json', 'x-a', 'b \xe9']
  assert.equal(
    encode('https://a.test:8443', { method: 'POST', path: '/p?q', headers, body: Buffer.from('{"a":"\xff"}', 'latin1') }),
    'POST /p?q HTTP/1.1\r\nhost: a.test:8443\r\nconnection: keep-alive\r\ncontent-type: application/json\r\nx-a: b \xe9\r\n' +
      'content-length: 9\r\n\r\n{"a":"\xff"}',
  )
})

test('a GET without a body has no length, a POST without one has a length of zero', () => {
  assert.equal(
    encode('http://[::1]', { method: 'GET', path: '/', headers: [] }),
    'GET / HTTP/1.1\r\nhost: [::1]\r\nconnection: keep-alive\r\n\r\n',
  )
  assert.match(encode('http://a.test', { method: 'POST', path: '/', headers: [] }), /\r\ncontent-length: 0\r\n\r\n$/)
})

test('no header and no path can add another line', () => {
  const invalid = (headers: string[], path = '/') => encode('http://a.test', { method: 'GET', path, headers })
  for (const value of ['a\r\nb: c', 'a\nb', 'a\0', '\u2028', '\x7f']) assert.throws(() => invalid(['x-bad', value]), /invalid x-bad header/)
  for (const name of ['', 'a b', 'a:', 'a\r\n', '\xe9']) assert.throws(() => invalid([name, 'b']), /the request has an invalid/)
  for (const path of ['/a b', '/a\r\n', '/\u{1f41a}']) assert.throws(() => invalid([], path), /invalid path/)
})
