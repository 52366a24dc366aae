import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkCallbackUrl } from '../../src/endpoints/webhooks/callback-url.ts'

const ofLength = (characters: number) => `https://example.com/${'a'.repeat(characters - 'https://example.com/'.length)}`

describe('a callback URL is checked as it was sent', () => {
  const refused: [url: string, rule: RegExp][] = [
    ['', /absolute/],
    ['example.com/hook', /absolute/],
    ['http://example.com/', /must be https, not http/],
    ['ftp://example.com/', /must be https, not ftp/],
    ['https://example.com:443/', /port.*:443/],
    ['https://example.com:8443/', /port/],
    ['https://example.com:/', /port/],
    ['https://[2001:db8::1]:443/', /port/],
    ['https://user@example.com/', /user info/],
    ['https://user:password@example.com/', /user info/],
    ['https://example.com/#part', /fragment/],
    ['https://example.com/#', /fragment/],
    ['https:///path', /host/],
    ['https://exa mple.com/', /white space/],
    ['https://example.com/a\tb', /control characters/],
    ['https://example.com/\u0000', /control characters/],
    ['https://example.com\\@evil.example/', /backslashes/],
    ['https://exa%mple.com/', /invalid format/],
    ['https://example..com/', /labels/],
    ['https://.example.com/', /labels/],
    ['https://example.com../', /labels/],
    ['https://./', /labels/],
    ['https://..', /labels/],
    [`https://${'a'.repeat(64)}.com/`, /labels of 1 to 63 characters/],
    // In ASCII each ü is xn--tda, so this name has 254 characters.
    [`https://${'ü.'.repeat(31)}${'a'.repeat(6)}/`, /253 characters in all/],
    [ofLength(201), /at most 200 characters/],
    [`https://example.com/${'😀'.repeat(181)}`, /at most 200 characters long, not 201/],
    ['http://127.0.0.1:4100/', /must be https/],
    ['https://localhost:4100/', /port/],
  ]
  for (const [url, rule] of refused)
    test(`${JSON.stringify(url).slice(0, 60)} is rejected: ${rule.source}`, () => {
      assert.throws(() => checkCallbackUrl(url, false), /^Error: UrlValidationFailed: /)
      assert.throws(() => checkCallbackUrl(url, false), rule)
    })

  const accepted: [url: string, normal: string][] = [
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://EXAMPLE.com/Hook?a=1', 'https://example.com/Hook?a=1'],
    ['https://example.com./hook', 'https://example.com/hook'],
    ['https://example.com/a/../hook', 'https://example.com/hook'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    [`https://${'a'.repeat(63)}.com/`, `https://${'a'.repeat(63)}.com/`],
    [`https://${'ü.'.repeat(31)}${'a'.repeat(5)}/`, `https://${'xn--tda.'.repeat(31)}${'a'.repeat(5)}/`],
    ['https://my_hook.example.com/', 'https://my_hook.example.com/'],
    ['https://localhost/', 'https://localhost/'],
    ['https://192.0.2.1./', 'https://192.0.2.1/'],
    ['https://[2001:db8::1]/', 'https://[2001:db8::1]/'],
    [ofLength(200), ofLength(200)],
    [`https://example.com/${'😀'.repeat(180)}`, `https://example.com/${'%F0%9F%98%80'.repeat(180)}`],
  ]
  for (const [url, normal] of accepted)
    test(`${url.slice(0, 60)} is accepted as ${normal.slice(0, 60)}`, () => assert.equal(checkCallbackUrl(url, false), normal))
})

describe('in development a callback on loopback may use http and a port', () => {
  for (const url of [
    'http://localhost:4100/a',
    'http://127.0.0.1/',
    'http://127.1.2.3:9/',
    'http://[::1]:4100/',
    'https://localhost:4100/',
  ])
    test(`${url} is accepted`, () => assert.doesNotThrow(() => checkCallbackUrl(url, true)))
  for (const url of [
    'http://example.com/',
    'http://10.0.0.1:80/',
    'http://localhost.example.com:80/',
    'http://127.0.0.1.example.com/',
    'ftp://localhost/',
    'http://127.0.0.1:0/',
    'https://localhost:00/',
  ])
    test(`${url} is rejected`, () => assert.throws(() => checkCallbackUrl(url, true), /UrlValidationFailed/))
})
