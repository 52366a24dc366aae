import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, test } from 'node:test'
import { commands } from '../../src/cli/commands.ts'
import { fishCompletion } from '../../src/cli/completion.ts'
import { endCommands, runCommand } from './command.ts'

after(endCommands)

const script = (await runCommand(['completion', 'bash'])).stdout

/** What bash offers after these words, the last of which is begun. */
function offered(...words: string[]): string[] {
  const line = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _postern; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', line], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout.split('\n').filter(Boolean)
}

test('bash completes every command', () => {
  const all = offered('postern', '')
  for (const { name } of commands) assert.ok(all.includes(name.split(' ')[0]!), name)
  assert.deepEqual(offered('postern', 'tri'), ['trigger'])
  assert.deepEqual(offered('postern', 'apps', ''), ['list', 'create', 'portal', 'usage'])
  assert.deepEqual(offered('postern', 'clock', 'a'), ['advance'])
})

test('bash completes event types, options and their values', () => {
  assert.deepEqual(offered('postern', 'trigger', 'dm.'), ['dm.received', 'dm.sent', 'dm.read', 'dm.indicate_typing'])
  assert.deepEqual(offered('postern', 'trigger', 'dm.sent', '--te'), ['--text'])
  assert.deepEqual(offered('postern', 'deliveries', '--state', 'giv'), ['given_up'])
  assert.deepEqual(offered('postern', 'apps', 'create', 'Bot', '--permissions', 'read_w'), ['read_write', 'read_write_dm'])
  assert.deepEqual(offered('postern', 'completion', ''), ['bash', 'zsh', 'fish', '--json', '--help'])
  assert.ok(offered('postern', 'help', 'do').includes('doctor'))
})

test('zsh takes the same script; fish has a line for every command and option', async () => {
  const zsh = (await runCommand(['completion', 'zsh'])).stdout
  assert.equal(zsh, `autoload -U +X bashcompinit && bashcompinit\n${script}`)
  const fish = (await runCommand(['completion', 'fish'])).stdout
  assert.equal(fish, fishCompletion(commands))
  for (const { name, options } of commands) {
    const [first, second] = name.split(' ')
    assert.match(fish, new RegExp(`-a ${second ?? first} -d '`), name)
    for (const option of Object.keys(options)) assert.ok(fish.includes(` -l ${option} `), `${name} --${option}`)
  }
  // Every line is one that a POSIX shell reads as words too: quotes are balanced.
  const { status, stderr } = spawnSync('bash', ['-n', '-c', fish.replaceAll("\\'", '')], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
})
