import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../src/api/declare/problem.ts'
import { assertCallbacks } from '../../src/endpoints/operator/apps/app-settings.ts'

/** The messages about these callbacks. */
function mistakesIn(...callbacks: string[]): string[] {
  try {
    assertCallbacks(callbacks)
    return []
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return error.members.errors!.map(({ message }) => message)
  }
}

test('a callback of an app may be a URL of the web or of an app of its own', () => {
  const callbacks = ['https://a.example/cb?x=1#y', 'http://127.0.0.1:3009/cb', 'demo-app://signed-in', 'com.example.app:/cb', 'x:y']
  assert.deepEqual(mistakesIn(...callbacks), [])
})

test('a callback has no scheme that a browser would stay on the page with, or run something of', () => {
  for (const scheme of [
    ...['javascript', 'data', 'vbscript', 'file', 'blob', 'about', 'view-source', 'filesystem', 'ws', 'wss', 'mailto', 'tel'],
  ])
    for (const written of [`${scheme}:x`, `${scheme.toUpperCase()}://a.example/`])
      assert.deepEqual(mistakesIn(written), [`$.callback_urls.0: must not have the scheme ${scheme}:`], written)
})

test('a callback is absolute, without white space, user name and password; each that is wrong is named by its place', () => {
  assert.deepEqual(mistakesIn('https://a.example/', '/cb', 'https://a.example/ b', 'https://u@a.example/', 'https://:p@a.example/'), [
    '$.callback_urls.1: must be an absolute URL',
    '$.callback_urls.2: must not hold white space or control characters',
    '$.callback_urls.3: must not hold a user name or password',
    '$.callback_urls.4: must not hold a user name or password',
  ])
  assert.deepEqual(mistakesIn('https://a.example/\u0001'), ['$.callback_urls.0: must not hold white space or control characters'])
})
