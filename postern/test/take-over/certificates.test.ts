import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { connect, createServer } from 'node:tls'
import { selfSigned } from '../../../server/test/stage/certificates.ts'
import { isAuthorityFor, makeAuthority, makeServerCertificate } from '../../src/take-over/certificates/authority.ts'
import { keptAuthority } from '../../src/take-over/certificates/kept-authority.ts'
import { runNode } from './led-programs.ts'

const HOSTS = ['api.x.com', 'ads-api.twitter.com', 'x.com', 'twitter.com']

/** What a client says of a server's certificate: nothing when it trusts it. */
async function refusalOf(certificate: { cert: string; key: string }, servername: string, ca: string): Promise<string | undefined> {
  const server = createServer(certificate).listen(0, '127.0.0.1')
  server.on('tlsClientError', () => {})
  await once(server, 'listening')
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', servername, ca })
  const said = await once(socket, 'secureConnect').then(
    () => undefined,
    (error) => error.message,
  )
  socket.destroy()
  server.close()
  return said
}

suite('the authority', () => {
  const authority = makeAuthority(HOSTS)

  for (const host of HOSTS)
    test(`signs for ${host}, and a client that trusts it accepts that`, async () => {
      assert.equal(await refusalOf(makeServerCertificate(HOSTS, authority), host, authority.cert), undefined)
    })

  test('signs for the names below a host, one level deep', async () => {
    const server = makeServerCertificate(HOSTS, authority)
    for (const host of ['stream.twitter.com', 'v2.api.x.com']) assert.equal(await refusalOf(server, host, authority.cert), undefined)
    assert.match((await refusalOf(server, 'a.b.x.com', authority.cert))!, /^Hostname\/IP does not match certificate's altnames/)
  })

  for (const host of ['example.com', 'xx.com', 'api.x.com.evil.example', 'com'])
    test(`is refused by OpenSSL for ${host}`, async () => {
      assert.equal(await refusalOf(makeServerCertificate([host], authority), host, authority.cert), 'permitted subtree violation')
    })

  test('lasts a year, and signs servers alone', () => {
    const { validToDate, keyUsage } = new X509Certificate(authority.cert)
    const days = (validToDate.getTime() - Date.now()) / 86_400_000
    assert.ok(days > 364 && days <= 365, String(days))
    assert.deepEqual(keyUsage, ['1.3.6.1.5.5.7.3.1'])
  })

  test('signs no other authority', () => {
    const made = new X509Certificate(makeServerCertificate(HOSTS, authority).cert)
    assert.equal(made.ca, false)
    assert.equal(new X509Certificate(authority.cert).ca, true)
  })

  test('gives a server no more than 397 days, and some before now', () => {
    const { validFromDate, validToDate } = new X509Certificate(makeServerCertificate(HOSTS, authority).cert)
    const days = (validToDate.getTime() - Date.now()) / 86_400_000
    assert.ok(days > 396 && days <= 397, String(days))
    assert.ok(validFromDate.getTime() < Date.now() - 3_600_000)
  })

  test('has another serial number each time', () => {
    const serials = Array.from({ length: 20 }, () => new X509Certificate(makeServerCertificate(HOSTS, authority).cert).serialNumber)
    assert.equal(new Set(serials).size, 20)
  })
})

suite('the authority in a file', () => {
  const inFolder = () => {
    const path = mkdtempSync(join(tmpdir(), 'postern-ca-'))
    return { file: join(path, 'made', 'ca.pem'), [Symbol.dispose]: () => rmSync(path, { recursive: true }) }
  }

  test('is made once, and only its owner can read it', () => {
    using folder = inFolder()
    const made = keptAuthority(folder.file, HOSTS)
    assert.equal(statSync(folder.file).mode & 0o777, 0o600)
    assert.equal(statSync(join(folder.file, '..')).mode & 0o777, 0o700)
    assert.deepEqual(keptAuthority(folder.file, HOSTS), made)
    assert.match(made.key, /^-----BEGIN PRIVATE KEY-----/)
  })

  test('is made anew when the file is of no use', () => {
    using folder = inFolder()
    keptAuthority(folder.file, HOSTS)
    writeFileSync(folder.file, 'no certificate')
    const made = keptAuthority(folder.file, HOSTS)
    assert.equal(readFileSync(folder.file, 'utf8'), made.cert + made.key)
    assert.equal(new X509Certificate(made.cert).ca, true)
    assert.equal(statSync(folder.file).mode & 0o777, 0o600)
  })

  /** Whether an authority of a file was made anew, and is right then. */
  function isMadeAnew(file: string, kept: string, hosts = HOSTS): boolean {
    const { cert, key } = keptAuthority(file, hosts)
    assert.equal(readFileSync(file, 'utf8'), cert + key)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.ok(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    return cert + key !== kept
  }

  /** An authority as somebody else may have planted it. */
  function planted(authority: { cert: string; key: string }, mode = 0o600) {
    const folder = inFolder()
    mkdirSync(join(folder.file, '..'))
    const text = authority.cert + authority.key
    writeFileSync(folder.file, text)
    chmodSync(folder.file, mode)
    return { ...folder, text }
  }

  test('is used when it was made for these hosts, in whatever order', () => {
    using folder = planted(makeAuthority(HOSTS.toSorted()))
    assert.equal(isMadeAnew(folder.file, folder.text), false)
    assert.equal(isMadeAnew(folder.file, folder.text, HOSTS.toReversed()), false)
  })

  for (const mode of [0o644, 0o640, 0o620, 0o601])
    test(`is made anew when the mode of the file is ${mode.toString(8)}`, () => {
      using folder = planted(makeAuthority(HOSTS.toSorted()), mode)
      assert.equal(isMadeAnew(folder.file, folder.text), true)
    })

  test('is made anew when the file is of another user', { skip: process.getuid?.() !== 0 && 'only root can give files away' }, () => {
    using folder = planted(makeAuthority(HOSTS.toSorted()))
    chownSync(folder.file, 65_534, 65_534)
    assert.equal(isMadeAnew(folder.file, folder.text), true)
    assert.equal(statSync(folder.file).uid, 0)
  })

  for (const hosts of [['com', 'org'], ['api.x.com'], [...HOSTS, 'example.com'], []])
    test(`is made anew when it was made for ${hosts.join(', ') || 'nothing'}`, () => {
      using folder = planted(makeAuthority(hosts))
      assert.equal(isMadeAnew(folder.file, folder.text), true)
    })

  test('is made anew when the key is another one, or there is none', () => {
    const [one, other] = [makeAuthority(HOSTS.toSorted()), makeAuthority(HOSTS.toSorted())]
    for (const key of [other.key, '']) {
      using folder = planted({ cert: one.cert, key })
      assert.equal(isMadeAnew(folder.file, folder.text), true)
    }
  })

  test('is made anew when it is no authority of Postern, though it names the same hosts', async () => {
    using folder = planted(await selfSigned())
    assert.equal(isMadeAnew(folder.file, folder.text), true)
    using ofServer = planted(makeServerCertificate(HOSTS.toSorted(), makeAuthority(HOSTS.toSorted())))
    assert.equal(isMadeAnew(ofServer.file, ofServer.text), true)
  })

  test('is made anew in the last day of its year', () => {
    const authority = makeAuthority(HOSTS.toSorted())
    const inDays = (days: number) => Date.now() + days * 86_400_000
    assert.deepEqual(
      [0, 363, 364.5, 366, -2].map((days) => isAuthorityFor(HOSTS.toSorted(), authority, inDays(days))),
      [true, true, false, false, false],
    )
  })

  test('is the same for processes that make it at once', async () => {
    using folder = inFolder()
    const script = `import { keptAuthority } from ${JSON.stringify(join(import.meta.dirname, '../../src/take-over/certificates/kept-authority.ts'))}
process.stdout.write(keptAuthority(${JSON.stringify(folder.file)}, ['x.com']).key)`
    const run = () => runNode(['--input-type=module', '-e', script], { cwd: tmpdir() })
    const ended = await Promise.all([run(), run(), run(), run()])
    assert.deepEqual(
      ended.map(({ code, stderr }) => [code, stderr]),
      ended.map(() => [0, '']),
    )
    assert.equal(new Set(ended.map(({ stdout }) => stdout)).size, 1)
  })
})
