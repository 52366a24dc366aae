import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { Agent, request as sendTls } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { connect as connectTls, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { selfSigned } from '../../../server/test/stage/certificates.ts'
import { pause } from '../../../server/test/stage/pause.ts'
import { makeAuthority } from '../../src/take-over/certificates/authority.ts'
import { everybody, proxyUrl, whoKnows } from '../../src/take-over/front/admission.ts'
import { type FrontOptions, startFront } from '../../src/take-over/front/front.ts'
import { proxyBeforeOf } from '../../src/take-over/run/run.ts'
import { type Echoed, startSecureUpstream, startUpstream, type Upstream } from './upstream.ts'

const HOSTS = ['api.x.com', 'ads-api.twitter.com']
const authority = makeAuthority(HOSTS)

/** A front whose hosts lead to one server, and which is a proxy for everybody. */
const frontOf = (origin: string, more: Partial<FrontOptions> = {}) =>
  startFront({ hosts: Object.fromEntries(HOSTS.map((host) => [host, origin])), authority, admission: everybody, ...more })

/** What a client of a host calls. */
const call = (port: number, host: string, options: Record<string, unknown> = {}): ClientRequest =>
  sendTls({
    host: '127.0.0.1',
    port,
    servername: host.replace(/:\d+$/, ''),
    ca: authority.cert,
    agent: false,
    ...options,
    headers: { host, ...(options.headers as object) },
  })

const answerTo = async (request: ClientRequest): Promise<IncomingMessage> => (await once(request, 'response'))[0]

const echoed = async (request: ClientRequest): Promise<Echoed> => JSON.parse(await text(await answerTo(request.end())))

/** Resolves once something is so. */
async function until(is: () => boolean): Promise<void> {
  while (!is()) await pause()
}

/** An upstream that a test answers by hand. */
async function byHand() {
  const taken: [IncomingMessage, ServerResponse][] = []
  const upstream = await startUpstream('by hand', (request, response) => void taken.push([request, response]))
  const next = async () => {
    await until(() => taken.length > 0)
    return taken.shift()!
  }
  return { ...upstream, next }
}

suite('the front passes on', () => {
  test('method, path and headers as they came, with what was called in place of what the client says of it', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin)
    const headers = { 'X-Two': ['1', '2'], 'x-forwarded-host': 'api.evil', 'x-forwarded-for': '192.0.2.1', forwarded: 'host=evil' }
    const { method, url, rawHeaders } = await echoed(
      call(front.port, 'api.x.com:443', { method: 'DELETE', path: '/2/a%2Fb?c=%20', headers }),
    )
    const { host } = new URL(upstream.origin)
    const wanted = [
      'Host',
      host,
      'X-Two',
      '1',
      'X-Two',
      '2',
      'X-Forwarded-Proto',
      'https',
      'X-Forwarded-Host',
      'api.x.com',
      'X-Forwarded-For',
      '127.0.0.1',
    ]
    assert.deepEqual([method, url], ['DELETE', '/2/a%2Fb?c=%20'])
    assert.deepEqual(rawHeaders, [...wanted, 'Connection', 'close'])
  })

  test('to a Postern with TLS by TLS', async () => {
    const certificate = await selfSigned()
    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, certificate.cert])
    try {
      await using upstream = await startSecureUpstream(certificate)
      await using front = await frontOf(upstream.origin)
      const { name, headers } = await echoed(call(front.port, 'api.x.com'))
      assert.deepEqual([name, headers['x-forwarded-host'], headers.host], ['secure', 'api.x.com', new URL(upstream.origin).host])
    } finally {
      setDefaultCACertificates(trusted)
    }
  })

  test('an answer as it is: status, words, repeated headers, bytes', async () => {
    await using upstream = await startUpstream('own', (_, response) => {
      response.writeHead(418, 'Short and stout', ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Case', 'Kept']).end('tea')
    })
    await using front = await frontOf(upstream.origin)
    const answer = await answerTo(call(front.port, 'api.x.com').end())
    assert.deepEqual([answer.statusCode, answer.statusMessage, answer.headers['set-cookie']], [418, 'Short and stout', ['a=1', 'b=2']])
    assert.ok(answer.rawHeaders.includes('X-Case'))
    assert.equal(await text(answer), 'tea')
  })

  test('a POST without a body as one without a body', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin)
    const socket = connect(front.port, '127.0.0.1')
    socket.write('POST /2/x HTTP/1.1\r\nHost: api.x.com\r\nConnection: close\r\n\r\n')
    assert.match(await text(socket), /"content-length":"0".*"bytes":0/s)
  })

  test('uploads of 5 MB, with a length and in chunks', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin)
    const body = Buffer.alloc(5_000_000, 'x')
    for (const headers of [{ 'content-length': body.length }, { 'transfer-encoding': 'chunked' }]) {
      const request = call(front.port, 'api.x.com', { method: 'POST', headers })
      const answer = answerTo(request)
      request.end(body)
      assert.equal((JSON.parse(await text(await answer)) as Echoed).bytes, 5_000_000)
    }
  })

  test('a stream as it comes, and its end', async () => {
    await using upstream = await byHand()
    await using front = await frontOf(upstream.origin)
    const request = call(front.port, 'api.x.com').end()
    const [, response] = await upstream.next()
    response.writeHead(200).write('first\r\n')
    const answer = await answerTo(request)
    assert.equal(String((await once(answer, 'data'))[0]), 'first\r\n')
    response.end('last\r\n')
    assert.equal(String((await once(answer, 'data'))[0]), 'last\r\n')
    await once(answer, 'end')
  })

  test('100 Continue of the server, and no body before it', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => void text(request).then((body) => response.end(body)))
    server.on('checkContinue', (request, response) => {
      seen.push('asked')
      response.writeContinue()
      server.emit('request', request, response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using front = await frontOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const request = call(front.port, 'api.x.com', { method: 'POST', headers: { expect: '100-continue', 'content-length': 3 } })
    request.flushHeaders()
    await once(request, 'continue')
    assert.deepEqual(seen, ['asked'])
    const answer = answerTo(request)
    request.end('tea')
    assert.equal(await text(await answer), 'tea')
    server.close()
  })

  test('a refusal in place of 100 Continue', async () => {
    const server = createServer().on('checkContinue', (_, response: ServerResponse) => response.writeHead(413).end())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using front = await frontOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const request = call(front.port, 'api.x.com', { method: 'POST', headers: { expect: '100-continue', 'content-length': 3 } })
    request.on('error', () => {})
    request.flushHeaders()
    assert.equal((await answerTo(request)).statusCode, 413)
    request.destroy()
    server.close()
  })
})

/** Resolves once a request has ended, whichever way. */
const endOf = (request: IncomingMessage) => new Promise<void>((resolve) => void request.on('error', () => {}).once('close', resolve))

suite('the front ends', () => {
  test('the request at Postern when the client goes away', async () => {
    await using upstream = await byHand()
    await using front = await frontOf(upstream.origin)
    const request = call(front.port, 'api.x.com').end()
    request.on('error', () => {})
    const [taken] = await upstream.next()
    const gone = endOf(taken)
    request.destroy()
    await gone
    await until(() => front.busyPorts().size === 0)
  })

  test('the upload at Postern when the client goes away', async () => {
    await using upstream = await byHand()
    await using front = await frontOf(upstream.origin)
    const request = call(front.port, 'api.x.com', { method: 'POST', headers: { 'content-length': 100 } })
    request.on('error', () => {})
    request.write('half')
    const [taken] = await upstream.next()
    const gone = endOf(taken)
    request.destroy()
    await gone
    assert.equal(taken.complete, false)
  })

  test('the connection of the client when Postern breaks off', async () => {
    await using upstream = await byHand()
    await using front = await frontOf(upstream.origin)
    const request = call(front.port, 'api.x.com').end()
    const [, response] = await upstream.next()
    response.writeHead(200, { 'content-length': 10 }).write('half')
    const answer = await answerTo(request)
    answer.resume()
    response.destroy()
    const [error] = (await once(answer, 'error')) as [NodeJS.ErrnoException]
    assert.equal(error.code, 'ECONNRESET')
  })

  test('every connection when it closes', async () => {
    await using upstream = await byHand()
    const front = await frontOf(upstream.origin)
    const request = call(front.port, 'api.x.com').end()
    await upstream.next()
    const broken = once(request, 'error')
    await front.close()
    assert.equal(((await broken)[0] as NodeJS.ErrnoException).code, 'ECONNRESET')
    await until(() => upstream.connections() === 0)
  })
})

/** Asks a proxy for a tunnel; answers its socket once it is there. */
async function tunnelTo(port: number, target: string): Promise<Socket> {
  const request = send({ host: '127.0.0.1', port, method: 'CONNECT', path: target, headers: { host: target }, agent: false }).end()
  const [response, socket] = (await once(request, 'connect')) as [IncomingMessage, Socket]
  assert.equal(response.statusCode, 200)
  return socket
}

/** A server that is no HTTP: it says back what it hears. */
async function startEcho() {
  const server = createTcpServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() }
}

suite('the front as a proxy', () => {
  test('leads a tunnel to one of its hosts to Postern, with TLS in it and without', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin)
    const secure = connectTls({ socket: await tunnelTo(front.port, 'api.x.com:443'), servername: 'api.x.com', ca: authority.cert })
    await once(secure, 'secureConnect')
    secure.write('GET /tls HTTP/1.1\r\nHost: api.x.com\r\nConnection: close\r\n\r\n')
    assert.match(await text(secure), /"x-forwarded-proto":"https"/)
    const plain = await tunnelTo(front.port, 'api.x.com:80')
    plain.write('GET /plain HTTP/1.1\r\nHost: api.x.com\r\nConnection: close\r\n\r\n')
    assert.match(await text(plain), /"x-forwarded-proto":"http"/)
  })

  for (const scheme of ['http', 'https'])
    test(`leads a request for a whole ${scheme} URL of one of its hosts to Postern`, async () => {
      await using upstream = await startUpstream()
      await using front = await frontOf(upstream.origin)
      const path = `${scheme}://api.x.com/2/users/me?a=b`
      const { url, headers } = await echoed(
        send({ host: '127.0.0.1', port: front.port, path, headers: { host: 'api.x.com' }, agent: false }),
      )
      assert.deepEqual([url, headers['x-forwarded-proto'], headers['x-forwarded-host']], ['/2/users/me?a=b', scheme, 'api.x.com'])
    })

  test('answers 404 for a name below its hosts, as itself and as a proxy, and lets nothing through to it', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin, { proxyBefore: () => assert.fail('it was to be passed on') })
    const host = 'v2.api.x.com'
    const says = 'Postern has nothing like v2.api.x.com, and lets no call through to it. It is api.x.com, ads-api.twitter.com.'
    const whole = (scheme: string) => send({ host: '127.0.0.1', port: front.port, path: `${scheme}://${host}/2/users/me`, agent: false })
    for (const request of [call(front.port, host, { path: '/2/users/me' }), whole('http'), whole('https')]) {
      const answer = await answerTo(request.end())
      assert.deepEqual([answer.statusCode, JSON.parse(await text(answer)).detail], [404, says])
    }
    const secure = connectTls({ socket: await tunnelTo(front.port, `${host}:443`), servername: host, ca: authority.cert })
    await once(secure, 'secureConnect')
    secure.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    assert.match(await text(secure), /^HTTP\/1\.1 404 .*Postern has nothing like v2\.api\.x\.com/s)
  })

  test('leads everything else where it belongs', async () => {
    await using upstream = await startUpstream()
    await using other = await startUpstream('other')
    using echo = await startEcho()
    await using front = await frontOf(upstream.origin)
    const { name } = await echoed(send({ host: '127.0.0.1', port: front.port, path: `${other.origin}/x`, agent: false }))
    assert.equal(name, 'other')
    const socket = await tunnelTo(front.port, `127.0.0.1:${echo.port}`)
    socket.write('hello')
    assert.equal(String((await once(socket, 'data'))[0]), 'hello')
    socket.end()
    await once(socket, 'close')
  })

  test('passes on to another host no wish for another protocol, which would end without an answer', async () => {
    await using upstream = await startUpstream()
    await using other = await startUpstream('other', ({ headers }, response) => {
      if (headers.upgrade === undefined) return void response.end(JSON.stringify(headers))
      response.socket!.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n')
    })
    await using front = await frontOf(upstream.origin)
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'x-own': 'kept' }
    const request = send({ host: '127.0.0.1', port: front.port, path: `${other.origin}/x`, headers, agent: false })
    const answer = JSON.parse(await text(await answerTo(request.end())))
    assert.deepEqual([answer.upgrade, answer.connection, answer['x-own']], [undefined, 'close', 'kept'])
  })

  test('leads everything else through the proxy that the user had, unless that is for others', async () => {
    await using upstream = await startUpstream()
    using echo = await startEcho()
    const asked: string[] = []
    const proxy = createServer((request, response) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`)
      response.end('through')
    }).on('connect', (request, socket: Socket) => {
      asked.push(`CONNECT ${request.url}`)
      const there = connect(echo.port, '127.0.0.1')
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(there).pipe(socket)
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const url = `http://user:p%40ss@127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const proxyBefore = proxyBeforeOf({ HTTPS_PROXY: url, http_proxy: url, NO_PROXY: '.internal.example' })
    await using front = await frontOf(upstream.origin, { proxyBefore })
    const request = send({ host: '127.0.0.1', port: front.port, path: 'http://example.com/x', agent: false })
    assert.equal(await text(await answerTo(request.end())), 'through')
    const socket = await tunnelTo(front.port, 'example.com:443')
    socket.write('hello')
    assert.equal(String((await once(socket, 'data'))[0]), 'hello')
    socket.destroy()
    assert.deepEqual(asked, [`http://example.com/x Basic ${btoa('user:p@ss')}`, 'CONNECT example.com:443'])
    assert.deepEqual(
      [proxyBefore('a.internal.example', 'https'), proxyBefore('localhost', 'http'), proxyBefore('example.org', 'https')?.host],
      [undefined, undefined, new URL(url).host],
    )
    proxy.close()
    proxy.closeAllConnections()
  })

  test('says why a host cannot be reached', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin)
    const answer = await answerTo(send({ host: '127.0.0.1', port: front.port, path: 'http://127.0.0.1:1/', agent: false }).end())
    assert.equal(answer.statusCode, 502)
    assert.match(await text(answer), /127\.0\.0\.1:1 cannot be reached: /)
    const request = send({ host: '127.0.0.1', port: front.port, method: 'CONNECT', path: '127.0.0.1:1', agent: false }).end()
    assert.equal(((await once(request, 'connect'))[0] as IncomingMessage).statusCode, 502)
  })

  test('has a script for browsers, and is nothing else under its own address', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin)
    const url = `http://127.0.0.1:${front.port}`
    const script = await (await fetch(`${url}/proxy.pac`)).text()
    const find = new Function(`${script}; return FindProxyForURL`)()
    assert.equal(find('https://api.x.com/', 'api.x.com'), `PROXY 127.0.0.1:${front.port}`)
    assert.equal(find('https://v2.api.x.com/', 'v2.api.x.com'), `PROXY 127.0.0.1:${front.port}`)
    for (const host of ['example.com', 'x.com', 'notapi.x.com']) assert.equal(find(`https://${host}/`, host), 'DIRECT')
    const other = await fetch(`${url}/2/users/me`)
    assert.equal(other.status, 421)
    assert.match(await other.text(), /in place of api\.x\.com, ads-api\.twitter\.com; 127\.0\.0\.1 is none of them/)
  })

  test('keeps a connection for the next request', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    for (const path of ['/1', '/2', '/3']) {
      const request = call(front.port, 'api.x.com', { path, agent })
      const answer = await answerTo(request.end())
      ports.add(request.socket?.localPort)
      await text(answer)
    }
    assert.equal(ports.size, 1)
    agent.destroy()
  })

  test('ends a connection that says what it cannot read', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin)
    for (const bytes of ['\u0016garbage that is no TLS at all', 'garbage that is no HTTP\r\n\r\n']) {
      const socket = connect(front.port, '127.0.0.1').on('error', () => {})
      socket.write(bytes)
      socket.resume()
      await once(socket, 'close')
    }
    assert.equal((await echoed(call(front.port, 'api.x.com'))).name, 'one')
  })
})

/** What a listener answers to bytes, until it ends the connection. */
async function answerToBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return await text(socket)
}

/** A proxy of which a test says what it answers, byte by byte. */
async function startBytes(bytes: string) {
  const server = createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(bytes))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() }
}

suite('the front answers, and goes on, when it is asked for', () => {
  const cases: [asked: string, status: number][] = [
    ['CONNECT foo:99999', 400],
    ['CONNECT foo:0', 400],
    ['CONNECT foo', 400],
    ['CONNECT /', 400],
    ['CONNECT foo/bar:80', 400],
    ['CONNECT me@foo:80', 400],
    ['CONNECT [::zz]:80', 400],
    ['GET ftp://foo/', 501],
    ['GET ftp://api.x.com/', 501],
    ['GET mailto:api.x.com', 400],
    ['GET http://[foo/', 400],
    ['GET foo', 400],
  ]
  for (const [asked, status] of cases)
    test(`${asked}: ${status}`, async () => {
      await using upstream = await startUpstream()
      await using front = await frontOf(upstream.origin)
      const answer = await answerToBytes(front.port, `${asked} HTTP/1.1\r\nHost: api.x.com\r\nConnection: close\r\n\r\n`)
      assert.equal(answer.split(' ')[1], String(status), answer)
      assert.equal((await echoed(call(front.port, 'api.x.com'))).name, 'one')
    })

  test('a tunnel by an address of IPv6', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin)
    const request = send({ host: '127.0.0.1', port: front.port, method: 'CONNECT', path: '[::1]:1', agent: false }).end()
    assert.equal(((await once(request, 'connect'))[0] as IncomingMessage).statusCode, 502)
  })

  test('a host that answers with a status which is none: 502', async () => {
    await using upstream = await startUpstream()
    using odd = await startBytes('HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n')
    for (const origin of [upstream.origin, `http://127.0.0.1:${odd.port}`]) {
      await using front = await frontOf(origin)
      const path = origin === upstream.origin ? `http://127.0.0.1:${odd.port}/` : 'http://api.x.com/'
      const answer = await answerTo(send({ host: '127.0.0.1', port: front.port, path, headers: { host: 'x' }, agent: false }).end())
      assert.equal(answer.statusCode, 502)
      answer.resume()
    }
  })

  const written: [password: string, sent: string][] = [
    ['50%', '50%'],
    ['%zz%40', '%zz%40'],
    ['p%40ss', 'p@ss'],
  ]
  for (const [password, sent] of written)
    test(`another host through a proxy whose password is written ${password}`, async () => {
      const heard: unknown[] = []
      const proxy = createServer((request, response) => {
        heard.push(request.headers['proxy-authorization'])
        response.end('through')
      }).on('connect', (request: IncomingMessage, socket: Socket) => {
        heard.push(request.headers['proxy-authorization'])
        socket.end('HTTP/1.1 200 OK\r\n\r\n')
      })
      proxy.listen(0, '127.0.0.1')
      await once(proxy, 'listening')
      const url = `http://user:${password}@127.0.0.1:${(proxy.address() as AddressInfo).port}`
      await using upstream = await startUpstream()
      await using front = await frontOf(upstream.origin, { proxyBefore: proxyBeforeOf({ http_proxy: url, https_proxy: url }) })
      const answer = await answerTo(send({ host: '127.0.0.1', port: front.port, path: 'http://example.com/', agent: false }).end())
      assert.equal(await text(answer), 'through')
      ;(await tunnelTo(front.port, 'example.com:443')).destroy()
      assert.deepEqual(heard, Array(2).fill(`Basic ${btoa(`user:${sent}`)}`))
      proxy.close()
      proxy.closeAllConnections()
    })
})

suite('the front as a proxy for those who know its password', () => {
  const password = 'a-password-of-this-run'
  const basic = (credentials: string) => `Basic ${btoa(credentials)}`
  const own = (port: number) => ({ host: '127.0.0.1', port, agent: false as const })

  /** The status of a whole URL of another host and of a tunnel to one, with and without credentials. */
  async function statuses(port: number, other: Upstream, authorization?: string): Promise<(number | undefined)[]> {
    const headers = authorization === undefined ? {} : { 'proxy-authorization': authorization }
    const passed = await answerTo(send({ ...own(port), path: `${other.origin}/x`, headers }).end())
    passed.resume()
    const request = send({ ...own(port), method: 'CONNECT', path: new URL(other.origin).host, headers }).end()
    const [tunnelled, socket] = (await once(request, 'connect')) as [IncomingMessage, Socket]
    socket.destroy()
    return [passed.statusCode, tunnelled.statusCode]
  }

  test('passes other hosts on with it alone', async () => {
    await using upstream = await startUpstream()
    await using other = await startUpstream('other')
    await using front = await frontOf(upstream.origin, { admission: whoKnows(password) })
    assert.equal(proxyUrl(front.port, password), `http://postern:a-password-of-this-run@127.0.0.1:${front.port}`)
    for (const wrong of [undefined, basic('postern:'), basic(`postern:${password}x`), basic(`other:${password}`), password])
      assert.deepEqual(await statuses(front.port, other, wrong), [407, 407], String(wrong))
    assert.deepEqual(await statuses(front.port, other, basic('postern:a-password-of-this-run')), [200, 200])
  })

  test('asks for it as HTTP does', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin, { admission: whoKnows(password) })
    for (const asked of ['CONNECT example.com:443', 'GET http://example.com/'])
      assert.match(
        await answerToBytes(front.port, `${asked} HTTP/1.1\r\nHost: example.com\r\n\r\n`),
        /^HTTP\/1\.1 407 Proxy Authentication Required\r\n(?:.+\r\n)*proxy-authenticate: Basic realm="/,
      )
  })

  test('leads its own hosts to Postern without it, and never tells Postern', async () => {
    await using upstream = await startUpstream()
    await using front = await frontOf(upstream.origin, { admission: whoKnows(password) })
    const headers = { host: 'api.x.com', 'proxy-authorization': basic(`postern:${password}`) }
    const asked = await echoed(send({ ...own(front.port), path: 'http://api.x.com/a', headers }))
    assert.deepEqual([asked.url, asked.headers['proxy-authorization']], ['/a', undefined])
    ;(await tunnelTo(front.port, 'api.x.com:443')).destroy()
  })

  test('asks for it in a tunnel to one of its own hosts too', async () => {
    await using upstream = await startUpstream()
    await using other = await startUpstream('other')
    await using front = await frontOf(upstream.origin, { admission: whoKnows(password) })
    const { host } = new URL(other.origin)
    for (const asked of [`CONNECT ${host}`, `GET ${other.origin}/x`]) {
      const within = await tunnelTo(front.port, 'api.x.com:80')
      within.write(`${asked} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      assert.match(await text(within), /^HTTP\/1\.1 407 /)
    }
  })

  test('is none for other hosts unless it was told for whom', async () => {
    await using upstream = await startUpstream()
    await using other = await startUpstream('other')
    await using front = await frontOf(upstream.origin, { admission: undefined })
    assert.deepEqual(await statuses(front.port, other, basic('postern:')), [403, 403])
  })
})
