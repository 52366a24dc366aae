import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import tls, { connect as namedImport } from 'node:tls'
import { Agent, request } from 'undici'
import { selfSigned } from '../../../server/test/stage/certificates.ts'
import { takeOver } from '../../src/take-over/take-over.ts'
import { type Echoed, startUpstream, type Upstream } from './upstream.ts'

const HOSTS = ['api.x.com', 'api.twitter.com', 'upload.x.com']

const leadingTo = ({ origin }: Upstream) => Object.fromEntries(HOSTS.map((host) => [host, origin]))

const withFetch = async (url: string): Promise<Echoed> => (await fetch(url)).json() as Promise<Echoed>

const withHttps = (url: string, options: https.RequestOptions = {}) =>
  new Promise<Echoed>((resolve, reject) => {
    https.get(url, options, (answer) => text(answer).then(JSON.parse).then(resolve, reject)).on('error', reject)
  })

/** Records where this process connects and what it looks up, below every patch. */
function watchNetwork() {
  const { connect } = net.Socket.prototype
  const { lookup } = dns
  const dialled: string[] = []
  const watched = net.Socket.prototype as { connect: (...given: unknown[]) => net.Socket }
  watched.connect = function (this: net.Socket, ...given: unknown[]) {
    const options = (Array.isArray(given[0]) ? given[0][0] : given[0]) as net.TcpNetConnectOpts
    dialled.push(String(options.host))
    return Reflect.apply(connect, this, given)
  }
  const spied = dns as { lookup: unknown }
  spied.lookup = (name: string, ...rest: unknown[]) => {
    dialled.push(`lookup ${name}`)
    return Reflect.apply(lookup, dns, [name, ...rest])
  }
  return {
    dialled,
    [Symbol.dispose]() {
      watched.connect = connect as never
      spied.lookup = lookup
    },
  }
}

suite('clients in a process that takes hosts over', () => {
  /** What a client gets while the hosts lead to a server, and what was dialled meanwhile. */
  async function led<T>(ask: () => Promise<T>): Promise<T> {
    using network = watchNetwork()
    await using upstream = await startUpstream()
    await using _over = takeOver(leadingTo(upstream))
    const answer = await ask()
    assert.deepEqual(
      network.dialled.filter((host) => host !== '127.0.0.1' && host !== 'lookup 127.0.0.1'),
      [],
    )
    return answer
  }

  for (const host of HOSTS)
    test(`reach it by fetch, which says ${host}`, async () => {
      const { headers, url } = await led(() => withFetch(`https://${host}/2/users/me?a=%20b`))
      assert.deepEqual([headers['x-forwarded-proto'], headers['x-forwarded-host'], url], ['https', host, '/2/users/me?a=%20b'])
    })

  test('are answered 404 by every other name below its hosts, which is not looked up', async () => {
    const { status, detail } = await led(async () => {
      const answer = await fetch('https://V2.Api.X.com/2/users/me')
      return { status: answer.status, ...((await answer.json()) as { detail: string }) }
    })
    const says = 'Postern has nothing like v2.api.x.com, and lets no call through to it. It is api.x.com, api.twitter.com, upload.x.com.'
    assert.deepEqual([status, detail], [404, says])
  })

  test('reach it by https, also with an agent of their own, made before', async () => {
    const agent = new https.Agent({ keepAlive: true })
    assert.equal((await led(() => withHttps('https://api.x.com/a', { agent }))).url, '/a')
    assert.equal((await led(() => withHttps('https://API.x.com/a'))).headers['x-forwarded-host'], 'api.x.com')
    agent.destroy()
  })

  test('reach it by undici of npm, also with a pool of their own, made before', async () => {
    const dispatcher = new Agent()
    const asked = async () => (await (await request('https://api.twitter.com/u', { dispatcher })).body.json()) as Echoed
    assert.equal((await led(asked)).headers['x-forwarded-host'], 'api.twitter.com')
    await dispatcher.close()
  })

  test('reach it unencrypted on port 80', async () => {
    const { headers } = await led(async () => (await fetch('http://api.x.com/plain')).json() as Promise<Echoed>)
    assert.deepEqual([headers['x-forwarded-proto'], headers['x-forwarded-host']], ['http', 'api.x.com'])
  })

  test('reach it by a named import of tls.connect, and agree on HTTP/1.1', async () => {
    await led(async () => {
      const socket = namedImport(443, 'api.x.com', { ALPNProtocols: ['h2', 'http/1.1'] })
      await once(socket, 'secureConnect')
      assert.deepEqual([socket.authorized, socket.alpnProtocol], [true, 'http/1.1'])
      socket.destroy()
    })
  })

  test('are refused HTTP/2 alone', async () => {
    await led(async () => {
      const session = http2.connect('https://api.x.com')
      const [error] = await once(session, 'error').catch((thrown) => [thrown])
      assert.match(String(error.code), /ALPN|ERR_SSL/)
      session.destroy()
    })
  })

  test('reach it by an address that they looked up or made up themselves', async () => {
    await led(async () => {
      assert.equal((await dns.promises.lookup('api.x.com')).address, '127.0.0.1')
      const socket = tls.connect({ host: '192.0.2.1', port: 443, servername: 'api.x.com' })
      await once(socket, 'secureConnect')
      assert.equal(socket.authorized, true)
      socket.destroy()
    })
  })

  test('reach it with a lookup, a local address and an authority of their own', async () => {
    const { cert } = await selfSigned()
    const lookup = () => assert.fail('the name was looked up')
    const { url } = await led(() => withHttps('https://api.x.com/own', { lookup, localAddress: '127.0.0.2', ca: cert, agent: false }))
    assert.equal(url, '/own')
  })

  test('upload 5 MB whole', async () => {
    const body = Buffer.alloc(5_000_000, 'x')
    const { bytes } = await led(
      async () => (await fetch('https://upload.x.com/1.1/media/upload.json', { method: 'POST', body })).json() as Promise<Echoed>,
    )
    assert.equal(bytes, 5_000_000)
  })
})

suite('a take-over', () => {
  test('leaves other hosts alone', async () => {
    await using upstream = await startUpstream('led')
    await using other = await startUpstream('other')
    await using _over = takeOver(leadingTo(upstream))
    assert.equal((await withFetch(other.origin)).name, 'other')
    const { hostname, port } = new URL(other.origin)
    const socket = net.connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.destroy()
  })

  test('does not have its authority trusted for other hosts', async () => {
    await using upstream = await startUpstream()
    await using over = takeOver(leadingTo(upstream))
    await over.ready
    const { port } = new URL(await over.proxyUrl)
    const socket = tls.connect({ host: '127.0.0.1', port: Number(port), servername: 'localhost' })
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
    assert.match(String(error.code), /SELF_SIGNED|UNABLE_TO|ALTNAME/)
  })

  test('is undone when it is disposed: nothing is wrapped, and its connections have ended', async () => {
    const before = [net.Socket.prototype.connect, tls.connect, dns.lookup, dns.promises.lookup]
    await using upstream = await startUpstream()
    {
      await using _over = takeOver(leadingTo(upstream))
      assert.equal((await withFetch('https://api.x.com/')).name, 'one')
      assert.notEqual(tls.connect, before[1])
      assert.equal(namedImport, tls.connect)
    }
    assert.deepEqual([net.Socket.prototype.connect, tls.connect, dns.lookup, dns.promises.lookup], before)
    assert.equal(namedImport, before[1])
    // A pool that kept a connection would still get an answer.
    const { lookup } = dns
    dns.lookup = ((_name: string, _options: unknown, done: (error: Error) => void) => done(new Error('no such name'))) as never
    try {
      await assert.rejects(withFetch('https://api.x.com/'), (error: Error) => /no such name/.test(String(error.cause)))
    } finally {
      dns.lookup = lookup
    }
  })

  test('can be undone at once, before it listens', async () => {
    const { connect } = tls
    await using upstream = await startUpstream()
    const over = takeOver(leadingTo(upstream))
    over[Symbol.dispose]()
    await over[Symbol.asyncDispose]()
    assert.equal(tls.connect, connect)
  })

  test('leaves what somebody else wrapped since', async () => {
    const { connect } = tls
    await using upstream = await startUpstream()
    const over = takeOver(leadingTo(upstream))
    const ours = tls.connect
    const theirs = (...given: Parameters<typeof ours>) => ours(...given)
    Object.assign(tls, { connect: theirs })
    await over[Symbol.asyncDispose]()
    assert.equal(tls.connect, theirs)
    Object.assign(tls, { connect })
  })

  for (const order of [
    [0, 1],
    [1, 0],
  ])
    test(`that was made last counts, and they can be disposed ${order[0] === 0 ? 'first' : 'last'} one first`, async () => {
      const { connect } = tls
      await using one = await startUpstream('one')
      await using two = await startUpstream('two')
      const agent = new https.Agent({ keepAlive: true })
      const names = async () => [(await withFetch('https://api.x.com/')).name, (await withHttps('https://api.x.com/', { agent })).name]
      const overs = [takeOver(leadingTo(one))]
      assert.deepEqual(await names(), ['one', 'one'])
      overs.push(takeOver(leadingTo(two)))
      assert.deepEqual(await names(), ['two', 'two'])
      await overs[order[0]!]![Symbol.asyncDispose]()
      assert.deepEqual(await names(), order[0] === 0 ? ['two', 'two'] : ['one', 'one'])
      await overs[order[1]!]![Symbol.asyncDispose]()
      assert.equal(tls.connect, connect)
      agent.destroy()
    })

  test('answers 502 and the reason while no Postern is there', async () => {
    const upstream = await startUpstream()
    await using _over = takeOver(leadingTo(upstream))
    await upstream[Symbol.asyncDispose]()
    const answer = await fetch('https://api.x.com/')
    assert.equal(answer.status, 502)
    const { detail } = (await answer.json()) as { detail: string }
    assert.match(detail, new RegExp(`^Postern at ${upstream.origin} does not answer: `))
  })

  test('is a proxy for other hosts only from when its proxyUrl is asked for', async () => {
    await using upstream = await startUpstream()
    await using other = await startUpstream('other')
    await using over = takeOver(leadingTo(upstream))
    let port = 0
    const socket = net.connect({ host: 'api.x.com', port: 443 })
    await once(socket, 'connect')
    port = socket.remotePort!
    socket.destroy()
    const asked = async () => {
      const request = http.request({ host: '127.0.0.1', port, path: `${other.origin}/x`, agent: false }).end()
      const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
      const passed = [answer.statusCode, JSON.parse(await text(answer)).name]
      const tunnel = http.request({ host: '127.0.0.1', port, method: 'CONNECT', path: new URL(other.origin).host, agent: false }).end()
      const [{ statusCode }, there] = (await once(tunnel, 'connect')) as [http.IncomingMessage, net.Socket]
      there.destroy()
      return [...passed, statusCode]
    }
    assert.deepEqual(await asked(), [403, undefined, 403])
    assert.equal(await over.proxyUrl, `http://127.0.0.1:${port}`)
    assert.deepEqual(await asked(), [200, 'other', 200])
  })

  test('that cannot listen says so to connections, and ends no process', async () => {
    const { runNode } = await import('./led-programs.ts')
    const file = new URL('../../src/take-over/take-over.ts', import.meta.url).href
    const script = `import net from 'node:net'
import { takeOver } from '${file}'
net.Server.prototype.listen = function () { process.nextTick(() => this.emit('error', new Error('no port is left'))); return this }
const over = takeOver({ 'api.x.com': 'http://127.0.0.1:1' })
await fetch('https://api.x.com/').catch(({ cause }) => console.log(cause.message))
await over.ready.catch(({ message }) => console.log(message))
await over.proxyUrl.catch(({ message }) => console.log(message))
over[Symbol.dispose]()
await takeOver({ 'api.x.com': 'http://127.0.0.1:1' })[Symbol.asyncDispose]()`
    const { stdout, stderr, code } = await runNode(['--input-type=module', '-e', script], { cwd: import.meta.dirname })
    assert.deepEqual([stdout, code], ['no port is left\n'.repeat(3), 0], stderr)
  })

  test('keeps no process alive', async () => {
    await using upstream = await startUpstream()
    const { runNode } = await import('./led-programs.ts')
    const file = new URL('../../src/take-over/take-over.ts', import.meta.url).href
    const script = `import { takeOver } from '${file}'
takeOver(${JSON.stringify(leadingTo(upstream))})
console.log((await (await fetch('https://api.x.com/')).json()).name)`
    const { stdout, stderr, code } = await runNode(['--input-type=module', '-e', script], { cwd: import.meta.dirname })
    assert.deepEqual([stdout, code], ['one\n', 0], stderr)
  })
})

test('a plain agent of http reaches its own server as before', async () => {
  await using upstream = await startUpstream()
  await using _over = takeOver(leadingTo(upstream))
  const answer = await new Promise<http.IncomingMessage>((resolve) => http.get(upstream.origin, resolve))
  assert.equal(JSON.parse(await text(answer)).name, 'one')
})
