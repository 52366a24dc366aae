import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, suite, test } from 'node:test'
import { cases, isSlowLane } from '../../../server/test/stage/cases.ts'
import { selfSigned } from '../../../server/test/stage/certificates.ts'
import { freePort } from '../../../server/test/stage/free-port.ts'
import { setStage } from '../../../server/test/stage/postern.ts'
import { findPostern } from '../../src/take-over/run/find-postern.ts'
import { endCommands, runCommand } from '../cli/command.ts'
import { postern, posternWords, programFolder, spawnNode } from './led-programs.ts'
import { pythonWith } from './python.ts'
import { startUpstream, type Upstream } from './upstream.ts'

after(endCommands)

/** A server that answers like the page of Postern which tells where hosts lead, and with what it got to everything else. */
async function startFake(hosts = ['api.x.com', 'api.twitter.com']) {
  const fake = await startUpstream('fake', (request, response) => {
    const { url, headers } = request
    if (url === '/.well-known/postern') {
      const origin = `http://${headers.host}`
      response.end(JSON.stringify({ dialect: 'x', hosts: Object.fromEntries(hosts.map((host) => [host, origin])) }))
      return
    }
    request
      .resume()
      .once('end', () => response.end(JSON.stringify({ url, host: headers['x-forwarded-host'], proto: headers['x-forwarded-proto'] })))
  })
  return fake
}

/** Runs a program of Node below `postern run`. */
async function runProgram(text: string, environment: Record<string, string> = {}) {
  await using fake = await startFake()
  using folder = programFolder()
  const file = folder.write('bot.mjs', text)
  return await postern(['run', '--url', fake.origin, '--', process.execPath, file], { cwd: folder.path, environment })
}

const FETCHED = { url: '/a', host: 'api.x.com', proto: 'https' }
const GET = `const get = async () => (await fetch('https://api.x.com/a')).json()\n`

suite('a program below `postern run`', () => {
  test('gets its arguments, input, environment and exit code', async () => {
    await using fake = await startFake()
    using folder = programFolder()
    const program = `let heard = ''
for await (const chunk of process.stdin) heard += chunk
console.log(JSON.stringify([process.argv.slice(2), heard, process.env.OWN]))
process.exitCode = 7`
    const words = ['run', '--url', fake.origin, process.execPath, folder.write('bot.mjs', program), '--url', 'mine', '--', '-x']
    const { stdout, code, stderr } = await postern(words, { cwd: folder.path, environment: { OWN: 'yes' }, input: 'hello' })
    assert.deepEqual([JSON.parse(stdout), code], [[['--url', 'mine', '--', '-x'], 'hello', 'yes'], 7], stderr)
    assert.match(stderr, new RegExp(`^postern: api\\.x\\.com and the other hosts lead to Postern at ${fake.origin}\n$`))
  })

  test('reaches it from itself, from its workers and from the programs that it starts', async () => {
    const { stdout, stderr } = await runProgram(`import { spawnSync } from 'node:child_process'
import { Worker, isMainThread, parentPort } from 'node:worker_threads'
${GET}
console.log(JSON.stringify(await get()))
const script = "fetch('https://api.x.com/a').then((answer) => answer.text()).then((text) => process.stdout.write(text + '\\\\n'))"
process.stdout.write(spawnSync(process.execPath, ['-e', script]).stdout)
const worker = new Worker("const { parentPort } = require('node:worker_threads'); fetch('https://api.x.com/a').then((answer) => answer.text()).then((text) => parentPort.postMessage(text))", { eval: true })
console.log(await new Promise((resolve) => worker.once('message', resolve)))
`)
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [FETCHED, FETCHED, FETCHED],
      stderr,
    )
  })

  test('keeps what NODE_OPTIONS said before', async () => {
    const { stdout } = await runProgram(`${GET}console.log(process.title, (await get()).host)`, {
      NODE_OPTIONS: '--title=mine',
    })
    assert.equal(stdout, 'mine api.x.com\n')
  })

  test('cannot reach the real hosts when Postern is gone, and says why', async () => {
    const { stdout } = await runProgram(`import net from 'node:net'
const { port } = JSON.parse(process.env.TAKEN_OVER_BY_POSTERN)
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = connect
const { leadHosts } = await import(process.env.NODE_OPTIONS.match(/--require="(.+)preload/)[1] + 'lead-hosts.cjs')
leadHosts({ hosts: new Set(['api.x.com']), port: 1, ca: '' })
await fetch('https://api.x.com/').catch(({ cause }) => console.log(cause.code, cause.message))`)
    assert.match(stdout, /^ECONNREFUSED api\.x\.com leads to Postern, and no Postern listens on port 1 any more: it was stopped/)
  })

  test('ends with the signal that it was sent, and is told of it', async () => {
    await using fake = await startFake()
    using folder = programFolder()
    const program = folder.write(
      'bot.mjs',
      `process.on('SIGTERM', () => { console.log('told'); process.exit(3) })\nsetInterval(() => {}, 1000)\nconsole.log('up')`,
    )
    const child = spawnNode(posternWords('run', '--url', fake.origin, '--', process.execPath, program), { cwd: folder.path })
    const ended = once(child, 'exit')
    const lines: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line)
      if (line === 'up') child.kill('SIGTERM')
    }
    assert.deepEqual([lines, (await ended)[0]], [['up', 'told'], 3])
    const killed = await postern(['run', '--url', fake.origin, '--', 'sh', '-c', 'kill -KILL $$'], { cwd: folder.path })
    assert.equal(killed.code, 137)
  })

  test('leaves no file behind but the authority, which only its owner can read', async () => {
    await using fake = await startFake()
    using folder = programFolder()
    const tmp = join(folder.path, 'tmp')
    mkdirSync(tmp)
    const words = ['run', '--url', fake.origin, '--', 'sh', '-c', 'ls "$TMPDIR" && ls -l "$SSL_CERT_FILE"']
    const { stdout, stderr } = await postern(words, { cwd: folder.path, environment: { TMPDIR: tmp } })
    assert.match(stdout, /^postern-run-\w+\n-rw-------/, stderr)
    assert.deepEqual(readdirSync(tmp), [])
    assert.equal(statSync(join(folder.path, '.postern/ca.pem')).mode & 0o777, 0o600)
  })
})

test('`postern run` leads to the Postern at POSTERN_PORT where nobody names another', async () => {
  await using fake = await startFake()
  using folder = programFolder()
  const file = folder.write('bot.mjs', `${GET}console.log(JSON.stringify(await get()))`)
  const environment = { POSTERN_PORT: new URL(fake.origin).port }
  const { stdout, stderr } = await postern(['run', '--', process.execPath, file], { cwd: folder.path, environment })
  assert.deepEqual(JSON.parse(stdout), FETCHED, stderr)
})

suite('`postern run` takes over', () => {
  test('names of x.com and twitter.com alone, whatever the server names', async () => {
    const hosts = [
      'api.x.com',
      'x.com',
      'a.b.twitter.com',
      'example.com',
      'com',
      'xx.com',
      'x.com.evil.example',
      'API.x.com',
      '.x.com',
      '*.x.com',
    ]
    await using fake = await startFake(hosts)
    assert.deepEqual(Object.keys((await findPostern(fake.origin))!.hosts), ['api.x.com', 'x.com', 'a.b.twitter.com'])
    await using other = await startFake(['example.com'])
    assert.equal(await findPostern(other.origin), undefined)
  })
})

suite('`postern run` exits', () => {
  const endings: [title: string, words: string[], code: number, said: RegExp][] = [
    ['with 2 without a program', ['run'], 2, /Name the program to run: postern run -- node bot\.js/],
    [
      'with 2 for a URL that is none',
      ['run', '--url', 'nowhere', '--', 'true'],
      2,
      /--url must be an origin such as http:\/\/127\.0\.0\.1:4000, and is nowhere/,
    ],
    ['with 2 for a port that is none', ['run', '--port', 'x', '--', 'true'], 2, /--port x is no port/],
    [
      'with 3 when nothing answers at --url',
      ['run', '--url', 'http://127.0.0.1:1', '--', 'true'],
      3,
      /No Postern answers at http:\/\/127\.0\.0\.1:1: start one/,
    ],
  ]
  for (const [title, words, code, said] of endings)
    test(title, async () => {
      using folder = programFolder()
      const ended = await runCommand(words, { cwd: folder.path })
      assert.equal(ended.code, code)
      assert.match(ended.stderr, said)
    })

  test('with 127 for a program that is not there, and 126 for one that may not be run', async () => {
    await using fake = await startFake()
    using folder = programFolder()
    const ofProgram = (program: string) => postern(['run', '--url', fake.origin, '--', program], { cwd: folder.path })
    const [missing, forbidden] = [await ofProgram('no-such-program'), await ofProgram(folder.write('plain.txt', ''))]
    assert.deepEqual([missing.code, forbidden.code], [127, 126])
    assert.match(missing.stderr, /there is no program no-such-program/)
  })
})

test('`postern run --fresh` starts a Postern in memory for the program alone, which the kit reaches without a word, and leaves nothing of it', async () => {
  using folder = programFolder()
  const kit = resolve(import.meta.dirname, '../../src/index.ts')
  const program = folder.write(
    'bot.mjs',
    `import { connectPostern } from ${JSON.stringify(kit)}
    ${GET}console.log((await fetch('https://api.x.com/openapi.json')).status, (await fetch('https://ads-api.x.com/healthz')).status)
    const postern = await connectPostern()
    const { id } = await postern.snapshot()
    console.log(postern.url === process.env.POSTERN_URL, typeof id)`,
  )
  const { stdout, stderr, code } = await postern(['run', '--fresh', '--', process.execPath, program], { cwd: folder.path })
  assert.deepEqual([stdout, code], ['200 200\ntrue string\n', 0], stderr)
  assert.match(
    stderr,
    /^postern: api\.x\.com and the other hosts lead to a Postern of this run alone, in memory, at http:\/\/127\.0\.0\.1:\d+\npostern: while it runs, .*\.postern\/server\.json has its operator token\n$/,
  )
  assert.deepEqual(readdirSync(join(folder.path, '.postern')), ['.gitignore', 'ca.pem'])
})

test('`postern run --fresh` takes over no settings of another server: neither its databases nor its broker nor its roles', async () => {
  using folder = programFolder()
  let connections = 0
  const broker = createServer((socket) => {
    connections += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(broker, 'listening')
  const { port } = broker.address() as AddressInfo
  const ofAnother = {
    POSTERN_DATABASE_URL: 'postgres://127.0.0.1:1/postern',
    POSTERN_EVENTS_FROM: `nats://127.0.0.1:${port}?stream=EVENTS`,
    POSTERN_LOG_URLS: 'postgres://127.0.0.1:1/log',
    POSTERN_ROLES: 'delivery',
  }
  const files = Object.keys(ofAnother).filter((name) => name !== 'POSTERN_ROLES')
  const inFiles = Object.fromEntries(files.map((name) => [`${name}_FILE`, folder.write(name, 'of another server')]))
  const token = { POSTERN_OPERATOR_TOKEN_FILE: folder.write('token', 'of-another-server') }
  try {
    for (const environment of [ofAnother, { ...inFiles, ...token }]) {
      const { code, stderr } = await postern(['run', '--fresh', '--', 'true'], { cwd: folder.path, environment })
      assert.equal(code, 0, stderr)
    }
    assert.equal(connections, 0)
  } finally {
    broker.close()
  }
})

test('what is wrong with a setting or the seed ends `postern run` with a sentence', async () => {
  using folder = programFolder()
  const ended = async (environment: Record<string, string>) => {
    const { code, stderr } = await runCommand(['run', '--fresh', '--', 'true'], { cwd: folder.path, environment })
    assert.equal(code, 1)
    return stderr
  }
  assert.match(
    await ended({ POSTERN_SEED: '/nowhere/seed.json' }),
    /^postern: Postern cannot start:\n {2}- POSTERN_SEED names \/nowhere\/seed\.json, which cannot be read: ENOENT[^\n]*\n$/,
  )
  const seed = folder.write('seed.json', '{"users":[{}]}')
  assert.match(await ended({ POSTERN_SEED: seed }), /^postern: the seed \S+seed\.json is invalid: [^\n]*username[^\n]*\n$/)
  assert.match(await ended({ POSTERN_RETRY_PLAN: 'soon' }), /^postern: Postern cannot start:\n {2}- POSTERN_RETRY_PLAN [^\n]*\n$/)
})

test('in a clone a program runs on the Node of its user, not on the one that the repository brings', async () => {
  await using fake = await startFake()
  using folder = programFolder()
  const own = resolve(import.meta.dirname, '../../../node_modules/.bin')
  const environment = { PATH: [own, folder.path, process.env.PATH].join(delimiter) }
  const words = ['run', '--url', fake.origin, '--', process.execPath, '-p', 'process.env.PATH']
  const { stdout, code } = await postern(words, { cwd: folder.path, environment })
  assert.equal(code, 0)
  const folders = stdout.trim().split(delimiter)
  assert.deepEqual([folders.includes(own), folders.includes(folder.path)], [false, true])
})

test('`postern run` warns of a Postern that has the names of the other dialect', async () => {
  using folder = programFolder()
  await using stage = await setStage({ environment: { POSTERN_DIALECT: 'spec' } })
  const { stderr } = await postern(['run', '--url', stage.origins.base_url, '--', 'true'], { cwd: folder.path })
  assert.match(stderr, /expect those of POSTERN_DIALECT=x/)
})

suite('programs in other languages', () => {
  const curl = ['curl', '-sS', 'https://api.x.com/a']

  test('reach it by proxy and authority', async () => {
    await using fake = await startFake()
    using folder = programFolder()
    const { stdout, stderr } = await postern(['run', '--url', fake.origin, '--', ...curl], { cwd: folder.path })
    assert.deepEqual(JSON.parse(stdout), FETCHED, stderr)
  })

  test('reach it although NO_PROXY names its hosts, and go past the proxy where it names others', async () => {
    await using fake = await startFake()
    using folder = programFolder()
    for (const NO_PROXY of ['*', 'x.com,example.com', '.x.com', 'api.x.com:443'].slice(0, cases(2, 4))) {
      const run = (words: string[]) =>
        postern(['run', '--url', fake.origin, '--', ...words], { cwd: folder.path, environment: { NO_PROXY } })
      assert.deepEqual(JSON.parse((await run(curl)).stdout), FETCHED, NO_PROXY)
    }
    const words = ['run', '--url', fake.origin, '--', 'sh', '-c', 'echo $NO_PROXY; echo $no_proxy']
    const { stdout } = await postern(words, { cwd: folder.path, environment: { NO_PROXY: 'a.example,.x.com,v2.api.x.com' } })
    assert.equal(stdout, 'localhost,127.0.0.1,::1,a.example\n'.repeat(2))
  })

  test('trust what they trusted before besides', async () => {
    const { cert } = await selfSigned()
    await using fake = await startFake()
    using folder = programFolder()
    const own = folder.write('own.pem', cert)
    const words = [
      'run',
      '--url',
      fake.origin,
      '--',
      'sh',
      '-c',
      'cat "$SSL_CERT_FILE"; echo NEXT; cat "$NODE_EXTRA_CA_CERTS"; echo NEXT; cat "$REQUESTS_CA_BUNDLE"',
    ]
    const { stdout } = await postern(words, { cwd: folder.path, environment: { SSL_CERT_FILE: own, NODE_EXTRA_CA_CERTS: own } })
    const [openssl, node, requests] = stdout.split('NEXT\n').map((text) => text.match(/BEGIN CERTIFICATE/g)?.length ?? 0)
    assert.deepEqual([openssl, node], [2, 2])
    assert.ok(requests! > 10, String(requests))
    assert.ok(stdout.includes(cert.trim()))
  })

  test('are led in Node too when they use the proxy and the authority alone', async () => {
    await using fake = await startFake()
    using folder = programFolder()
    const program = folder.write('bot.mjs', `${GET}console.log(JSON.stringify(await get()))`)
    const words = ['run', '--url', fake.origin, '--', 'env', 'NODE_OPTIONS=', 'NODE_USE_ENV_PROXY=1', process.execPath, program]
    const { stdout, stderr } = await postern(words, { cwd: folder.path })
    assert.deepEqual(JSON.parse(stdout || '{}'), FETCHED, stderr)
  })
})

/** The names of this machine do not go through a proxy. This one does. */
const elsewhere = ({ origin }: Upstream) => origin.replace('127.0.0.1', '127.0.0.2')

/** A server that can be called by each address of loopback, and says whether the credentials of the proxy came this far. */
const startUpstreamEverywhere = () =>
  startUpstream(
    'everywhere',
    ({ url, headers }, response) =>
      void response.end(JSON.stringify({ through: url, credentials: headers['proxy-authorization'] ?? null })),
    '0.0.0.0',
  )

/** Programs that call a URL with what `postern run` tells them, and print the answer. */
const CALLERS: Record<string, (folder: ReturnType<typeof programFolder>) => string[] | undefined> = {
  curl: () => ['curl', '-sS'],
  'urllib of Python': (folder) => {
    const python = pythonWith('ssl')
    const text = 'import sys, urllib.request\nprint(urllib.request.urlopen(sys.argv[1]).read().decode())\n'
    return python === undefined ? undefined : [python, folder.write('ask.py', text)]
  },
  'requests of Python': (folder) => {
    const python = pythonWith('requests')
    return python === undefined
      ? undefined
      : [python, folder.write('ask.py', 'import sys, requests\nprint(requests.get(sys.argv[1]).text)\n')]
  },
  'a Node that uses the proxy': (folder) => {
    const program = folder.write('ask.mjs', 'console.log(await (await fetch(process.argv[2])).text())')
    return ['env', 'NODE_USE_ENV_PROXY=1', process.execPath, program]
  },
  'undici with the proxy of the environment': (folder) => {
    const text = `import { EnvHttpProxyAgent, request } from 'undici'
const { body } = await request(process.argv[2], { dispatcher: new EnvHttpProxyAgent() })
console.log(await body.text())`
    return [process.execPath, folder.write('ask.mjs', text)]
  },
}

/** Those outside the slow lane: the plainest, and Node, which has a preload besides. */
const FEW = ['curl', 'a Node that uses the proxy']

/** Whether this machine has the runtime of a caller; Node is always there. */
function isHere(wordsIn: (typeof CALLERS)[string]): boolean {
  using folder = programFolder()
  return wordsIn(folder) !== undefined
}

/** A user without files or processes of its own. */
const NOBODY = 65_534

suite('the proxy of `postern run`', () => {
  for (const [name, wordsIn] of Object.entries(CALLERS).filter(([name, wordsIn]) => (isSlowLane || FEW.includes(name)) && isHere(wordsIn)))
    test(`passes other hosts on for ${name}`, async () => {
      await using fake = await startFake()
      await using other = await startUpstreamEverywhere()
      using folder = programFolder()
      const words = wordsIn(folder)!
      const { stdout, stderr } = await postern(['run', '--url', fake.origin, '--', ...words, `${elsewhere(other)}/b`], { cwd: folder.path })
      assert.deepEqual(JSON.parse(stdout || '{}'), { through: '/b', credentials: null }, stderr)
    })

  test('refuses other hosts to who does not know the password of the run, which is another one each time', async () => {
    await using fake = await startFake()
    using folder = programFolder()
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's
    const script = 'echo $HTTPS_PROXY; curl -s -o /dev/null -w "%{http_code}" --proxy "http://${HTTPS_PROXY#*@}" http://127.0.0.2:1/'
    const run = () => postern(['run', '--url', fake.origin, '--', 'sh', '-c', script], { cwd: folder.path, environment: { NO_PROXY: '' } })
    const [one, two] = [(await run()).stdout.split('\n'), (await run()).stdout.split('\n')]
    assert.deepEqual([one[1], two[1]], ['407', '407'])
    const [password] = [one, two].map(([proxy]) => /^http:\/\/postern:([\da-f]{32})@127\.0\.0\.1:\d+$/.exec(proxy!)?.[1])
    assert.ok(password)
    assert.notEqual(one[0]!.split('@')[0], two[0]!.split('@')[0])
  })

  test('is of no use to another user of the machine, who reads neither its password nor the key of the authority', {
    skip: (process.platform !== 'linux' || process.getuid?.() !== 0) && 'only root can be another user, and only Linux has /proc',
  }, async () => {
    await using fake = await startFake()
    using folder = programFolder()
    const tmp = join(folder.path, 'tmp')
    mkdirSync(tmp)
    for (const path of [folder.path, tmp]) chmodSync(path, 0o777)
    const program = folder.write('bot.mjs', 'console.log(process.env.HTTPS_PROXY); process.stdin.resume()')
    const environment = { TMPDIR: tmp, NODE_COMPILE_CACHE: '', NO_PROXY: '' }
    const words = posternWords('run', '--url', fake.origin, '--', process.execPath, program)
    const child = spawnNode(words, { cwd: folder.path, environment })
    const ended = once(child, 'close')
    try {
      const [proxy] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
      const { password, port } = new URL(proxy)
      assert.match(password, /^[\da-f]{32}$/)
      const ofRun = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')
      const pids = [String(child.pid), ...ofRun]
      assert.ok(pids.some((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8').includes(password)))
      const [run] = readdirSync(tmp).filter((name) => name.startsWith('postern-run-'))
      const secret = [...pids.map((pid) => `/proc/${pid}/environ`), join(tmp, run!), join(folder.path, '.postern/ca.pem')]
      const script = `for path in ${secret.join(' ')}; do cat "$path" 2>&1 || ls "$path" 2>&1; done
cat ${pids.map((pid) => `/proc/${pid}/cmdline`).join(' ')} | tr '\\0' ' '; echo
for proxy in 127.0.0.1:${port} postern:${'0'.repeat(32)}@127.0.0.1:${port}; do
curl -s -o /dev/null -w '%{http_code}\\n' --proxy "http://$proxy" http://127.0.0.2:1/
curl -s -o /dev/null -w '%{http_connect}\\n' --proxy "http://$proxy" https://127.0.0.2:1/
done`
      const other = spawnSync('sh', ['-c', script], { uid: NOBODY, gid: NOBODY, cwd: '/', encoding: 'utf8' })
      const lines = other.stdout.trim().split('\n')
      assert.deepEqual(lines.slice(-4), ['407', '407', '407', '407'], other.stdout)
      assert.equal(lines.filter((line) => line.includes('Permission denied')).length, 2 * secret.length - pids.length, other.stdout)
      assert.ok(other.stdout.includes(program), 'the command lines are read')
      assert.ok(!other.stdout.includes(password) && !/PRIVATE KEY/.test(other.stdout), other.stdout)
    } finally {
      child.kill('SIGTERM')
      await ended
    }
  })

  test('passes other hosts on without it where --port names its port, for clients that send none', async () => {
    await using fake = await startFake()
    await using other = await startUpstreamEverywhere()
    using folder = programFolder()
    const port = String(await freePort())
    const words = ['curl', '-sS', '--proxy', `http://127.0.0.1:${port}`, `${elsewhere(other)}/b`]
    const { stdout, stderr } = await postern(['run', '--url', fake.origin, '--port', port, '--', ...words], { cwd: folder.path })
    assert.deepEqual(JSON.parse(stdout || '{}'), { through: '/b', credentials: null }, stderr)
  })
})
