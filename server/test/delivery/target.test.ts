import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SendFailure } from '../../src/delivery/send/outcome.ts'
import { readTarget, type Target } from '../../src/delivery/send/target.ts'

/** A callback URL, and where it leads: scheme, host, whether that is an address, port, path and query. */
const TARGETS: readonly [url: string, ...Target[keyof Target][]][] = [
  ['https://example.com/hook', 'https://example.com', 'example.com', false, 443, true, '/hook'],
  ['https://example.com', 'https://example.com', 'example.com', false, 443, true, '/'],
  ['http://localhost/hook?a=%20b&c', 'http://localhost', 'localhost', false, 80, false, '/hook?a=%20b&c'],
  ['http://localhost:4100/', 'http://localhost:4100', 'localhost', false, 4100, false, '/'],
  ['https://localhost:8443/', 'https://localhost:8443', 'localhost', false, 8443, true, '/'],
  ['http://127.0.0.1:1/', 'http://127.0.0.1:1', '127.0.0.1', true, 1, false, '/'],
  ['https://[::1]/', 'https://[::1]', '::1', true, 443, true, '/'],
  ['http://[2001:db8::1]:81/', 'http://[2001:db8::1]:81', '2001:db8::1', true, 81, false, '/'],
  ['https://example.com./x', 'https://example.com.', 'example.com', false, 443, true, '/x'],
]

test('a callback URL leads to its host and port, or to the port of its scheme', () => {
  for (const [url, origin, host, isAddress, port, secure, path] of TARGETS)
    assert.deepEqual(readTarget(url), { origin, host, isAddress, port, secure, path }, url)
})

test('a URL that is none, of another scheme or with a user name or a password leads nowhere', () => {
  for (const [url, why] of [
    ['example.com', /cannot be read/],
    ['ftp://example.com/', /over https, not over ftp:/],
    ['https://user@example.com/', /user name or a password/],
    ['https://:password@example.com/', /user name or a password/],
    ['https://user:password@example.com/', /user name or a password/],
  ] as const) {
    const target = readTarget(url)
    assert.ok(target instanceof SendFailure, url)
    assert.match(target.message, why)
  }
})
