import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { connect, createServer } from 'node:tls'
import { makeAuthority, makeServerCertificate } from '../../src/take-over/certificates/authority.ts'
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

  for (const host of ['example.com', 'xx.com', 'api.x.com.evil.example', 'com'])
    test(`is refused by OpenSSL for ${host}`, async () => {
      assert.equal(await refusalOf(makeServerCertificate([host], authority), host, authority.cert), 'permitted subtree violation')
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
