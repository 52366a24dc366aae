import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { readSettings, type SettingsError } from '../../src/settings/settings.ts'
import { selfSigned } from '../stage/certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-events-from-'))
after(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const placeOf = (url: string) => readSettings({ POSTERN_EVENTS_FROM: url }).eventsFrom!

function mistakesOf(url: string): string[] {
  try {
    readSettings({ POSTERN_EVENTS_FROM: url })
    return []
  } catch (error) {
    return (error as SettingsError).mistakes
  }
}

const CREDS = `-----BEGIN NATS USER JWT-----
x
------END NATS USER JWT------
-----BEGIN USER NKEY SEED-----
y
------END USER NKEY SEED------
`
const FORM = 'nats://user:password@host:4222?stream=EVENTS'

suite('POSTERN_EVENTS_FROM', () => {
  test('names a server and a stream, and has a default for the rest', () =>
    assert.deepEqual(placeOf('nats://broker.internal?stream=EVENTS'), {
      servers: ['broker.internal:4222'],
      isEncrypted: false,
      login: undefined,
      caFile: undefined,
      certFile: undefined,
      keyFile: undefined,
      stream: 'EVENTS',
      durable: 'postern',
      filterSubject: undefined,
      deliverPolicy: 'all',
      maxAckPending: undefined,
    }))

  test('names several servers, a user, and what the consumer is like', () => {
    const place = placeOf(
      'nats://ada:p%40ss%3F@one:4222, tls://[::1]:4223?stream=EVENTS&durable=gate&filter_subject=events.user.>&deliver_policy=new&max_ack_pending=1',
    )
    assert.deepEqual(place.servers, ['one:4222', '[::1]:4223'])
    assert.deepEqual(place.login, { user: 'ada', pass: 'p@ss?' })
    assert.deepEqual([place.isEncrypted, place.durable, place.filterSubject], [true, 'gate', 'events.user.>'])
    assert.deepEqual([place.deliverPolicy, place.maxAckPending], ['new', 1])
  })

  test('has a token as a user without a password', () =>
    assert.deepEqual(placeOf('nats://s3cr3t@one?stream=EVENTS').login, { token: 's3cr3t' }))

  test('names files of credentials and certificates', async () => {
    const { cert, key } = await selfSigned()
    const [creds, ca, certFile, keyFile] = [file('creds', CREDS), file('ca', cert), file('cert', cert), file('key', key)]
    const place = placeOf(`tls://one?stream=EVENTS&creds=${creds}&ca=${ca}&cert=${certFile}&key=${keyFile}`)
    assert.deepEqual(place.login, { credsFile: creds })
    assert.deepEqual([place.caFile, place.certFile, place.keyFile], [ca, certFile, keyFile])
  })

  const noCreds = file('no-creds', 'nothing')
  for (const [name, url, says] of [
    [
      'another kind of broker',
      'kafka://one?stream=EVENTS',
      `must begin with nats:// or tls:// and a host, in each part before a comma, like ${FORM}; part 1 does not`,
    ],
    [
      'a password that breaks the URL',
      'nats://ada:s3cr3t/x@one?stream=EVENTS',
      `must begin with nats:// or tls:// and a host, in each part before a comma, like ${FORM}; part 1 does not`,
    ],
    ['a path', 'nats://ada:s3cr3t@one/EVENTS?stream=EVENTS', `must have no path and no fragment: it is like ${FORM}`],
    ['no stream', 'nats://ada:s3cr3t@one', `must name a stream with the parameter stream, like ${FORM}`],
    [
      'an unknown parameter',
      'nats://one?stream=EVENTS&durible=x',
      'has a parameter that is not known: durible; there are stream, durable, filter_subject, deliver_policy, max_ack_pending, creds, ca, cert, key. Did you mean durable?',
    ],
    [
      'a password with a question mark',
      'nats://tok?s3cr3t@one:4222&stream=EVENTS',
      'has a parameter that is not known; there are stream, durable, filter_subject, deliver_policy, max_ack_pending, creds, ca, cert, key',
    ],
    ['a parameter twice', 'nats://one?stream=EVENTS&stream=OTHER', 'has the parameter stream twice: name it once'],
    ['an empty parameter', 'nats://one?stream=', 'has the parameter stream without a value: give it one, or leave it out'],
    [
      'a wrong stream',
      'nats://one?stream=events.all',
      'has the stream "events.all": a name has 1 to 255 characters, without spaces, dots, slashes, * and >',
    ],
    [
      'a wrong durable',
      'nats://one?stream=EVENTS&durable=a%20b',
      'has the durable "a b": a name has 1 to 255 characters, without spaces, dots, slashes, * and >',
    ],
    [
      'a wrong subject',
      'nats://one?stream=EVENTS&filter_subject=a..b',
      'has the filter_subject "a..b": it must be a subject such as events.user.> or events.*.created',
    ],
    ['a wrong policy', 'nats://one?stream=EVENTS&deliver_policy=last', 'has the deliver_policy "last": it must be all or new'],
    [
      'a wrong number',
      'nats://one?stream=EVENTS&max_ack_pending=0',
      'has the max_ack_pending "0": it must be a whole number from 1 to 1000000',
    ],
    [
      'a certificate without its key',
      `tls://one?stream=EVENTS&cert=${noCreds}`,
      `has the parameter cert, which names ${noCreds}, which holds no PEM certificate`,
    ],
    [
      'no credentials file',
      `nats://one?stream=EVENTS&creds=${noCreds}`,
      `has the parameter creds, which names ${noCreds}, which is no credentials file: it must hold a NATS USER JWT and a USER NKEY SEED`,
    ],
    [
      'two users',
      'nats://a:s3cr3t@one,nats://b:s3cr3t@two?stream=EVENTS',
      'has different users, passwords or tokens: name one, at the first server',
    ],
    [
      'a broken escape',
      'nats://a:s3cr3t%@one?stream=EVENTS',
      'has a user, password or token with a % that begins no escape: write it as %25',
    ],
  ] as const)
    test(`is refused with ${name}, by a sentence without its secrets`, () => {
      assert.deepEqual(mistakesOf(url), [`POSTERN_EVENTS_FROM ${says}`])
      assert.ok(!mistakesOf(url).join().includes('s3cr3t'))
    })
})
