import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { backupFolder } from '../../../server/test/stage/backups.ts'
import { freePort } from '../../../server/test/stage/free-port.ts'
import { OPERATOR_TOKEN, SECRET, type Stage, setStage } from '../../../server/test/stage/postern.ts'
import { commands } from '../../src/cli/commands.ts'
import { endCommands, environmentOf, MAIN, root, runAlone, runCommand, runCommands, startCommand } from './command.ts'

after(endCommands)

let stage: Stage
let url: string
before(async () => {
  stage = await setStage()
  url = stage.origins.base_url
})
after(() => stage[Symbol.asyncDispose]())

test('without a server a command exits with 3 and says how to start one', async () => {
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const lines = [['deliveries'], ['trigger', 'dm.received'], ['call', 'GET', '/2/users/me'], ['listen'], ['reset']]
  for (const [place, { code, stdout, stderr }] of (await runCommands(lines, { url: nowhere })).entries()) {
    assert.deepEqual([code, stdout], [3, ''], lines[place]!.join(' '))
    assert.match(stderr, new RegExp(`^No Postern answers at ${nowhere}: start one with \`postern\``))
  }
  const { code } = await runAlone(['deliveries', '--url', nowhere], { url })
  assert.equal(code, 3)
  const withoutToken = await runCommand(['deliveries'], { url: nowhere, environment: { POSTERN_OPERATOR_TOKEN: undefined as never } })
  assert.equal(withoutToken.code, 3)
})

test('a wrong operator token is told with where it came from; the option counts before the environment', async () => {
  const wrong = await runCommand(['deliveries'], { url, environment: { POSTERN_OPERATOR_TOKEN: 'wrong' } })
  assert.deepEqual([wrong.code, wrong.stdout], [1, ''])
  assert.match(wrong.stderr, /refuses the operator token of POSTERN_OPERATOR_TOKEN: Postern prints the right one/)
  const right = await runCommand(['deliveries', '--operator-token', OPERATOR_TOKEN], {
    url,
    environment: { POSTERN_OPERATOR_TOKEN: 'wrong' },
  })
  assert.deepEqual([right.code, right.stdout], [0, 'There are no such deliveries.\n'])
  assert.doesNotMatch(wrong.stderr + right.stderr, /wrong-|operator-token-of/)
})

test('without an operator token it says where to take it from', async () => {
  const { code, stderr } = await runCommand(['deliveries'], { url, environment: { POSTERN_OPERATOR_TOKEN: undefined as never } })
  assert.equal(code, 2)
  assert.match(stderr, /^There is no operator token: give --operator-token, POSTERN_OPERATOR_TOKEN or POSTERN_OPERATOR_TOKEN_FILE, or run/)
})

test('an operator token is read from the file that POSTERN_OPERATOR_TOKEN_FILE names', async () => {
  await using folder = await backupFolder()
  await writeFile(folder.at('token'), `${OPERATOR_TOKEN}\n`)
  const readFrom = (name: string) => {
    const environment = { POSTERN_OPERATOR_TOKEN: undefined as never, POSTERN_OPERATOR_TOKEN_FILE: folder.at(name) }
    return runCommand(['deliveries'], { url, environment })
  }
  const right = await readFrom('token')
  assert.deepEqual([right.code, right.stdout], [0, 'There are no such deliveries.\n'])
  const missing = await readFrom('nothing')
  assert.equal(missing.code, 2)
  assert.match(missing.stderr, /^POSTERN_OPERATOR_TOKEN_FILE names \S+nothing, which cannot be read: ENOENT/)
  await writeFile(folder.at('wrong'), 'wrong')
  assert.match((await readFrom('wrong')).stderr, /refuses the operator token of \S+wrong:/)
})

test('wrong usage exits with 2, names what is wrong, suggests what was meant and sends nothing', async () => {
  const wrong: [line: string, says: RegExp][] = [
    ['triger dm.received', /^postern has no command triger\. Did you mean postern trigger\?\nSee `postern --help`\.\n$/],
    ['apps', /^postern apps is postern apps list, or postern apps create, or postern apps portal, or postern apps usage\.\n/],
    ['apps lits', /^postern has no command apps lits\. Did you mean postern apps list\?/],
    ['deliveries --stat given_up', /^There is no option --stat\. Did you mean --state\?\nSee `postern deliveries --help`\.\n$/],
    [
      'deliveries --state giving_up',
      /^--state is one of pending, delivered, retrying, given_up, not_sent, and not giving_up\. Did you mean given_up\?/,
    ],
    ['deliveries --max-results many', /^--max-results is a whole number from 1 to 1000, and not many\.\n/],
    ['deliveries more', /^more is one argument too many\.\n/],
    ['apps usage --day --to 2026-03-01T12:00Z', /^--day and --from or --to exclude each other\.\n/],
    ['apps usage --max-results 101', /^--max-results is a whole number from 1 to 100, and not 101\.\n/],
    ['apps create', /^<name> is missing: The name of the app\.\n/],
    ['clock advance', /^<duration> is missing/],
    [
      'clock advance -1h',
      /^<duration> must be positive, and not -1h: the clock only moves forward\.\nSee `postern clock advance --help`\.\n$/,
    ],
    ['clock advance 1w', /^<duration> is such as 500ms, 90s, 5m, 25h or 2d, and not 1w\.\nSee `postern clock advance --help`\.\n$/],
    ['trigger like.create --user ada --user grace', /^--user is given once at most\.\nSee `postern trigger --help`\.\n$/],
    ['deliveries -1', /^-1 is one argument too many\.\n/],
    ['deliveries -x', /^There is no option -x\./],
    ['audit --max-results 0', /^--max-results is a whole number from 1 to 1000, and not 0\.\n/],
    [
      'audit --from soon',
      /^--from is a time in UTC such as 2026-03-01T12:00Z or 2026-03-01, or how long ago such as 90m, and not soon\.\n/,
    ],
    ['publish', /^<event type> is missing/],
    ['publish dm.recieved --user 101', /^dm\.recieved is no event type\. Did you mean dm\.received\?/],
    ['publish dm.received', /^--user is missing: the id or username of the user whom the event is about\.\n/],
    [
      'publish dm.received --user nobody_here',
      /^--user: no user has the username nobody_here\. Name one whom the server does not have by id\.\nSee `postern publish --help`\.\n$/,
    ],
    ['publish dm.received --user 101 --payload [1]', /^--payload is a JSON object such as '\{"text":"Hello"\}', and not \[1\]\.\n/],
    ['resend', /^Name either an event, or which deliveries: a --state, an --app, a --type or a --from\.\n/],
    ['resend 5 --dry-run', /^--dry-run counts many deliveries/],
    ['resend --to 1h', /^Name either an event, or which deliveries: a --state, an --app, a --type or a --from\.\n/],
    ['resend 5 --app 1', /^--app chooses among many deliveries, not those of one event\.\n/],
    ['resend 5 --type dm.received', /^--type chooses among many deliveries, not those of one event\.\n/],
    ['resend 5 --state given_up', /^--state chooses among many deliveries, not those of one event\.\n/],
    ['resend 5 --from 1h', /^--from chooses among many deliveries, not those of one event\.\n/],
    ['resend 5 --to 1h', /^--to chooses among many deliveries, not those of one event\.\n/],
    ['resend 5 --cancel 7', /^--cancel takes no event: it takes the id of a resend job and nothing else\.\n/],
    ['resend --cancel 7 --webhook 5', /^--cancel takes no --webhook: it takes the id of a resend job and nothing else\.\n/],
    ['resend --cancel 7 --app 1', /^--cancel takes no --app: /],
    ['resend --cancel 7 --type dm.received', /^--cancel takes no --type: /],
    ['resend --cancel 7 --state given_up', /^--cancel takes no --state: /],
    ['resend --cancel 7 --from 1h', /^--cancel takes no --from: /],
    ['resend --cancel 7 --to 1h', /^--cancel takes no --to: /],
    ['resend --cancel 7 --dry-run', /^--cancel takes no --dry-run: /],
    ['resend --cancel 7 --no-wait', /^--cancel takes no --no-wait: /],
    ['resend 5 --no-wait', /^--no-wait is for a resend to every webhook, or to those of an --app\.\n/],
    ['resend --webhook 5 --from 2026-03-01T12:00Z', /^--webhook needs a --state, or an event\.\n/],
    ['completion tcsh', /^<shell> is one of bash, zsh, fish, and not tcsh\.\n/],
    ['deliveries --url here', /^--url must be an origin such as http:\/\/127\.0\.0\.1:4000, and is here\n/],
    ['doctor nowhere', /^<callback> is a URL such as/],
    ['listen --events dm.recieved', /^dm\.recieved is no event type\. Did you mean dm\.received\? `postern trigger` lists them\.\n/],
    ['listen --events dm.received,nope', /^nope is no event type\. `postern trigger` lists them\.\n/],
    ['listen --user adda', /^The seed has no user adda\. Did you mean ada\? Name one whom the seed does not have by id\.\n/],
    ['listen --forward-challenges', /^--forward-challenges needs a --forward: the URL that answers them\.\n/],
    [
      'listen --events dm.received --keyword boats',
      /^--keyword is for types that match a keyword, and --events names none: add news\.new\.\n/,
    ],
    ['backup one --verify --database sqlite:one.db', /^--verify takes no --database: it reads the backup alone\.\n/],
    ['backup one --verify --media media', /^--verify takes no --media: /],
    ['backup one --verify --without-media', /^--verify takes no --without-media: /],
    ['trigger nope', /^nope is no event type\. `postern trigger` lists them\.\n/],
    ['doctor http://127.0.0.1:9/webhook --event nope', /^nope is no event type\./],
  ]
  const all = await runCommands(
    wrong.map(([line]) => line.split(' ')),
    { url },
  )
  for (const [place, { code, stdout, stderr }] of all.entries()) {
    const [line, says] = wrong[place]!
    assert.deepEqual([code, stdout], [2, ''], line)
    assert.match(stderr, says)
  }
  assert.deepEqual(await runAlone(wrong[0]![0].split(' '), { url }), all[0], 'a process of its own ends alike')
})

test('ids, keys and tokens may begin with a minus sign', async () => {
  const lines = [
    ['deliveries', '--event', '-5'],
    ['resend', '-5'],
    ['deliveries', '--operator-token', '-wrong'],
    ['apps', 'create', 'Dashed', '--consumer-key', '-key-of-the-dashed-app', '--json'],
    ['deliveries', '--event', '--state'],
  ]
  const [listed, resent, refused, created, missing] = await runCommands(lines, { url })
  const unknown = 'There is no event -5: it was never accepted, or is no longer kept.'
  assert.deepEqual([listed!.code, listed!.stdout], [0, `There are no such deliveries.\n${unknown}\n`])
  assert.deepEqual([resent!.code, resent!.stderr.split(':')[0]], [1, 'No webhook has a delivery of the event -5'])
  assert.match(refused!.stderr, /refuses the operator token of --operator-token:/)
  assert.equal(JSON.parse(created!.stdout).data.consumer_key, '-key-of-the-dashed-app')
  assert.deepEqual([missing!.code, missing!.stdout], [2, ''])
})

test('what the server refuses exits with 1 and says which parameter', async () => {
  const { code, stderr } = await runCommand(['clock', 'advance', '367d'], { url })
  assert.equal(code, 1)
  // A line of progress may come first, where the answer takes long.
  assert.match(stderr, /^POST \/operator\/clock: 400 .*\n {2}\$\.advance: must be at most 366 days ahead$/m)
})

test('in production a command for tests says that its endpoint is there in development only', async () => {
  const environment = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
  await using production = await setStage({ environment })
  const { code, stderr } = await runCommand(['clock', 'advance', '1h'], { url: production.origins.operator_url })
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^POST \/operator\/clock is not there at http\S+: it answers 404\. Most operator endpoints .* in the development profile only\.$/m,
  )
})

test('with --json a failure is a document on stderr', async () => {
  const refused = await runAlone(['clock', 'advance', '367d', '--json'], { url })
  const { error } = JSON.parse(refused.stderr)
  assert.deepEqual([refused.stdout, error.exit_code, error.status, error.answer.status], ['', 1, 400, 400])
  const misused = await runCommand(['apps', 'create', '--json'], { url })
  assert.equal(JSON.parse(misused.stderr).error.exit_code, 2)
})

test('a --json that is no option of the command asks for none: that of a program, and what follows --', async () => {
  const lines = [
    ['run', '--', 'no-such-program', '--json'],
    ['run', 'no-such-program', '--json'],
    ['seed', '--', '--json'],
  ]
  await using folder = await backupFolder()
  const said = (await runCommands(lines, { url, cwd: folder.at('') })).map(({ stderr }) => stderr.trim().split('\n').at(-1))
  const noProgram = 'postern: there is no program no-such-program'
  assert.deepEqual(said.slice(0, 2), [noProgram, noProgram])
  assert.match(said[2]!, /^The seed --json cannot be read: /)
})

test('help of every command begins with an example of it, and lists its options and exit codes', async () => {
  const all = await runCommands(commands.map(({ name }) => [...name.split(' '), '--help']))
  for (const [place, { name, options, examples }] of commands.entries()) {
    const { code, stdout, stderr } = all[place]!
    assert.deepEqual([code, stderr], [0, ''], name)
    assert.match(stdout.split('\n')[0]!, /postern/)
    assert.ok(examples.length > 0)
    for (const option of Object.keys(options)) assert.ok(stdout.includes(`--${option}`), `${name} --${option}`)
    assert.match(stdout, /Usage:\n {2}postern/)
  }
  const helped = await runCommand(['help', 'clock'])
  assert.match(helped.stdout, /postern clock advance 25h[\s\S]*postern clock set/)
  assert.equal((await runCommand(['help', 'dance'])).code, 2)
})

test('--help of postern lists every command, and --version says its version', async () => {
  const { code, stdout } = await runCommand(['--help'])
  assert.equal(code, 0)
  for (const { name } of commands) assert.match(stdout, new RegExp(`^ {2}${name} `, 'm'))
  assert.match((await runCommand(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
})

test('a reader who has had enough ends a command quietly', async () => {
  const shell = spawn('sh', ['-c', `"$NODE" "${MAIN}" trigger | head -n 1; exit 0`], {
    env: { ...environmentOf({ url }), NODE: process.execPath },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, complained, [code]] = await Promise.all([shell.stdout.toArray(), shell.stderr.toArray(), once(shell, 'exit')])
  assert.equal(code, 0)
  assert.match(said.join(''), /^profile\.update\.bio .*\n$/)
  assert.doesNotMatch(complained.join(''), /EPIPE|Error/)
})

test('a pipe that is closed before anything was written ends a command with 0', async () => {
  const child = startCommand(['trigger'], { url })
  child.stdout.destroy()
  const complaints = child.stderr.toArray()
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
  assert.doesNotMatch((await complaints).join(''), /EPIPE/)
})

test('the commands of the repository are the same', async () => {
  const { scripts } = JSON.parse(await import('node:fs').then(({ readFileSync }) => readFileSync(`${root}/package.json`, 'utf8')))
  assert.deepEqual([scripts.call, scripts.trigger], ['exec node postern/src/cli/main.js call', 'exec node postern/src/cli/main.js trigger'])
})
