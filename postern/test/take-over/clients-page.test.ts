import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { suite, test } from 'node:test'
import { call } from '../../../server/test/stage/call.ts'
import { freePort } from '../../../server/test/stage/free-port.ts'
import type { Stage } from '../../../server/test/stage/postern.ts'
import { atApprovalPage } from '../../../server/test/stage/sign-in.ts'
import { type Section, sectionOf } from './clients-page.ts'
import { demoStage, type Ended, postern, posternWords, programFolder, runNode, spawnNode } from './led-programs.ts'
import { pythonWith } from './python.ts'

/** The words behind `npx postern` of a command of the page, which name the server under test. */
function wordsOf(command: string, { origins }: Stage): string[] {
  const [, words] = /^npx postern run -- (.*)$/.exec(command) ?? assert.fail(command)
  return ['run', '--url', origins.base_url, '--', ...words!.split(' ')]
}

const TAKE_OVER = join(import.meta.dirname, '../../src/take-over/take-over.ts')

/** A program that takes the hosts over in its own process, as the test kit does, and then is the page's. */
const inProcess = ({ file }: Section, { origins }: Stage) => `import { takeOver } from ${JSON.stringify(TAKE_OVER)}
const { hosts } = await (await fetch('${origins.base_url}/.well-known/postern')).json()
takeOver(hosts)
await import('./${file}')
`

function assertSeen({ seen }: Section, { code, stdout, stderr }: Ended): void {
  assert.equal(stdout, seen, stderr)
  assert.equal(code, 0, stderr)
}

for (const title of ['twitter-api-v2', 'The XDK', 'oauth (node-oauth)'])
  suite(`the section ${title} of docs/clients.md`, () => {
    const section = sectionOf(title)

    test('shows what its program prints under `postern run`', async () => {
      await using stage = await demoStage()
      using folder = programFolder()
      folder.write(section.file, section.program)
      assertSeen(section, await postern(wordsOf(section.commands[0]!, stage), { cwd: folder.path }))
    })

    test('shows what its program prints in a process that takes the hosts over', async () => {
      await using stage = await demoStage()
      using folder = programFolder()
      folder.write(section.file, section.program)
      assertSeen(section, await runNode([folder.write('in-process.mjs', inProcess(section, stage))], { cwd: folder.path }))
    })
  })

suite('the section passport-twitter of docs/clients.md', () => {
  const section = sectionOf('passport-twitter')

  /** Signs in at the site that a program serves, as a browser does. */
  async function visit(words: (site: string, stage: Stage, folder: ReturnType<typeof programFolder>) => string[]) {
    const site = `http://127.0.0.1:${await freePort()}`
    const here = (text: string) => text.replaceAll('http://127.0.0.1:3009', site).replace('listen(3009', `listen(${new URL(site).port}`)
    await using stage = await demoStage(`${site}/cb`)
    using folder = programFolder()
    folder.write(section.file, here(section.program))
    const child = spawnNode(words(site, stage, folder), { cwd: folder.path })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.stderr.resume()
    try {
      const opened = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve))
      assert.equal(opened, `open ${site}`)
      const entered = await call(site, 'GET')
      const page = new URL(entered.headers.get('location')!)
      const back = await atApprovalPage(stage).decide(page.searchParams.get('oauth_token')!, 'allow', {
        username: 'ada',
        password: 'ada-in-development',
      })
      const cookie = entered.headers.get('set-cookie')!.split(';')[0]!
      const { text } = await call(back.headers.get('location')!, 'GET', { headers: { cookie } })
      return { page: page.origin + page.pathname, text: `${text}\n`, origin: stage.origins.base_url }
    } finally {
      child.kill('SIGTERM')
      await ended
    }
  }

  test('signs a visitor in under `postern run`, whose browser is sent to Postern', async () => {
    const { page, text, origin } = await visit((_, stage) => posternWords(...wordsOf(section.commands[0]!, stage)))
    assert.equal(page, `${origin}/oauth/authenticate`)
    assert.equal(text, section.seen)
  })

  test('signs a visitor in from a process that takes the hosts over, and leaves its redirects as they are', async () => {
    const { page, text } = await visit((_, stage, folder) => [folder.write('in-process.mjs', inProcess(section, stage))])
    assert.equal(page, 'https://api.twitter.com/oauth/authenticate')
    assert.equal(text, section.seen)
  })
})

/** What stands in for the program where tweepy is not installed: the same way through proxy and authority, without a signature. */
const inPython = `import json, urllib.request
asked = urllib.request.Request("https://api.x.com/2/users/by/username/ada", headers={"Authorization": "Bearer TOKEN"})
print(json.load(urllib.request.urlopen(asked))["data"]["username"], "High tide at six")
`

/** The same where there is no Python: a Node without its preload. */
const inNode = `const headers = { authorization: 'Bearer TOKEN' }
const answer = await fetch('https://api.x.com/2/users/by/username/ada', { headers })
console.log((await answer.json()).data.username, 'High tide at six')
`

/** The program of the page, or the nearest to it that this machine can run, and what runs it. */
function asInstalled({ program }: Section, token: string): { text: string; words: string[] } {
  const tweepy = pythonWith('tweepy')
  if (tweepy) return { text: program, words: [tweepy] }
  const python = pythonWith('ssl')
  if (python) return { text: inPython.replace('TOKEN', token), words: [python] }
  return { text: inNode.replace('TOKEN', token), words: ['env', 'NODE_OPTIONS=', 'NODE_USE_ENV_PROXY=1', process.execPath] }
}

suite('the section tweepy of docs/clients.md', () => {
  const section = sectionOf('tweepy')

  test('shows what its program prints under `postern run`', async () => {
    await using stage = await demoStage()
    using folder = programFolder()
    const token = await stage.token({ consumer_key: 'demo-consumer-key', consumer_secret: 'demo-consumer-secret-for-development-only' })
    const { text, words: instead } = asInstalled(section, token)
    folder.write(section.file, text)
    const words = wordsOf(section.commands[0]!, stage).flatMap((word) => (word === 'python3' ? instead : [word]))
    assertSeen(section, await postern(words, { cwd: folder.path }))
  })
})

suite('the section curl of docs/clients.md', () => {
  const section = sectionOf('curl')

  test('shows a token, and what a call with it answers', async () => {
    await using stage = await demoStage()
    using folder = programFolder()
    const [first, second] = section.commands
    const { stdout, stderr } = await postern(wordsOf(first!, stage), { cwd: folder.path })
    assert.match(stdout, /"access_token":"AAAA/, stderr)
    const TOKEN = JSON.parse(stdout).access_token
    const [, script] = /sh -c '(.*)'$/.exec(second!)!
    const answer = await postern(['run', '--url', stage.origins.base_url, '--', 'sh', '-c', script!], {
      cwd: folder.path,
      environment: { TOKEN },
    })
    assert.equal(`${answer.stdout}\n`, section.seen, answer.stderr)
  })
})

test('the section In a test of docs/clients.md leads a client of that process to its Postern', async () => {
  using folder = programFolder()
  const more = `const answer = await fetch('https://api.x.com/.well-known/postern')\nconsole.log((await answer.json()).dialect)\n`
  const { stdout, stderr } = await runNode([folder.write('led.ts', `${sectionOf('In a test').program}${more}`)], { cwd: folder.path })
  assert.equal(stdout, 'x\n', stderr)
})

test('the page names every section in its list', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/clients.md'), 'utf8')
  const titles = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title)
  assert.deepEqual(
    [...page.matchAll(/^- \[(.+)\]\(#/gm)].map(([, title]) => title),
    titles,
  )
})
