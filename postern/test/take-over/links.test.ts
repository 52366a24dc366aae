import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { linksTo } from '../../src/take-over/client/links.cjs'
import { linkFilter } from '../../src/take-over/run/run.ts'
import { postern, programFolder } from './led-programs.ts'
import { startUpstream } from './upstream.ts'

const HERE = 'http://127.0.0.1:4000'
const lead = linksTo(HERE)

suite('a sign-in link', () => {
  for (const [link, path] of [
    ['https://api.x.com/oauth/authorize?oauth_token=a', '/oauth/authorize?oauth_token=a'],
    ['https://api.twitter.com/oauth/authenticate?oauth_token=a', '/oauth/authenticate?oauth_token=a'],
    ['https://twitter.com/i/oauth2/authorize?state=b', '/i/oauth2/authorize?state=b'],
    ['https://x.com/i/oauth2/authorize', '/i/oauth2/authorize'],
    ['https://www.x.com/i/oauth2/authorize#', '/i/oauth2/authorize#'],
    ['https://api.x.com/2/oauth2/authorize?a', '/2/oauth2/authorize?a'],
  ])
    test(`${link} leads to Postern, whatever stands around it`, () => {
      assert.equal(lead(`Open <${link}> or "${link}"`), `Open <${HERE}${path}> or "${HERE}${path}"`)
    })

  for (const link of [
    'https://x.com/ada/status/1',
    'https://api.x.com/2/users/me',
    'https://api.x.com/oauth/authorized',
    'https://api.x.com/oauth/authorize-other',
    'https://evil.x.com/oauth/authorize',
    'https://api.x.com.evil.example/oauth/authorize',
    'https://notx.com/i/oauth2/authorize',
    'http://api.x.com/oauth/authorize',
  ])
    test(`${link} is none, and stays`, () => assert.equal(lead(link), link))
})

suite('the filter of what a program prints', () => {
  const LINK = 'https://api.twitter.com/oauth/authorize?oauth_token=a'

  test('leads a link wherever the chunks divide it', async () => {
    const line = `open ${LINK} now\n`
    for (let at = 1; at < line.length; at += 1) {
      const filter = linkFilter(HERE)
      const seen = text(filter)
      filter.write(line.slice(0, at))
      filter.end(line.slice(at))
      assert.equal(await seen, `open ${HERE}/oauth/authorize?oauth_token=a now\n`, String(at))
    }
  })

  test('passes every byte on as it is', async () => {
    const bytes = Buffer.from(Array.from({ length: 2048 }, (_, at) => (at * 7) % 256))
    const filter = linkFilter(HERE)
    filter.end(bytes)
    assert.deepEqual(Buffer.concat(await filter.toArray()), bytes)
  })

  test('does not hold back what may become a link but does not', async () => {
    const filter = linkFilter(HERE)
    filter.write('Your page: h')
    const seen: Buffer[] = []
    for await (const chunk of filter) {
      seen.push(chunk)
      if (Buffer.concat(seen).toString() === 'Your page: h') break
    }
  })
})

/** A server that says which hosts lead to it. */
const startFake = () =>
  startUpstream('fake', ({ headers }, response) => {
    response.end(JSON.stringify({ dialect: 'x', hosts: { 'api.x.com': `http://${headers.host}` } }))
  })

const LINK = 'https://x.com/i/oauth2/authorize?state=b'

suite('below `postern run`', () => {
  async function run(program: string, ...options: string[]) {
    await using fake = await startFake()
    using folder = programFolder()
    const words = ['run', '--url', fake.origin, ...options, '--', process.execPath, folder.write('bot.mjs', program)]
    const ended = await postern(words, { cwd: folder.path })
    return { ...ended, led: `${fake.origin}/i/oauth2/authorize?state=b` }
  }

  test('links that a Node program prints lead to Postern, as text and as bytes, on both outputs', async () => {
    const { stdout, stderr, led } = await run(`console.log('${LINK}')
process.stdout.write(Buffer.from('${LINK}\\n'))
console.error('${LINK}')`)
    assert.equal(stdout, `${led}\n${led}\n`)
    assert.equal(stderr.split('\n')[1], led)
  })

  test('redirects of a web server lead to Postern, however the header is set', async () => {
    const { stdout, led } = await run(`import { createServer } from 'node:http'
const ways = [
  (response) => response.setHeader('Location', '${LINK}').writeHead(302),
  (response) => response.writeHead(302, { location: '${LINK}', other: '${LINK}' }),
  (response) => response.writeHead(302, 'Found', ['Other', '${LINK}', 'Location', '${LINK}']),
]
const server = createServer((request, response) => { ways[request.url.slice(1)](response); response.end() })
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
for (const way of ways.keys()) {
  const { headers } = await fetch('http://127.0.0.1:' + server.address().port + '/' + way, { redirect: 'manual' })
  console.log(headers.get('location'), headers.get('other')?.startsWith('https://x' + '.com'))
}
server.close()
server.closeAllConnections()`)
    assert.equal(stdout, `${led} undefined\n${led} true\n${led} true\n`)
  })

  test('programs that open a browser are given the led link', async () => {
    const { stdout, led } = await run(`import { spawnSync, spawn } from 'node:child_process'
const child = spawn(process.execPath, ['-e', 'require("fs").writeSync(1, process.argv[1] + "\\\\n")', '${LINK}'], { stdio: ['ignore', 'inherit', 'inherit'] })
await new Promise((resolve) => child.once('exit', resolve))`)
    assert.equal(stdout, `${led}\n`)
  })

  test('links stay with --keep-links', async () => {
    const { stdout } = await run(`console.log('${LINK}')`, '--keep-links')
    assert.equal(stdout, `${LINK}\n`)
  })

  test('links of programs in other languages lead to Postern where the output is no terminal', async () => {
    await using fake = await startFake()
    using folder = programFolder()
    const { stdout } = await postern(['run', '--url', fake.origin, '--', 'printf', `%s\n`, LINK], { cwd: folder.path })
    assert.equal(stdout, `${fake.origin}/i/oauth2/authorize?state=b\n`)
  })
})
