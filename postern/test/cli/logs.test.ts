import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { migratedDatabase } from '../../../server/test/stage/database.ts'
import { startGate } from '../../../server/test/stage/gate.ts'
import { setStage } from '../../../server/test/stage/postern.ts'
import { endCommands, runCommand } from './command.ts'

after(endCommands)

test('a log is given up as lost once no process can use it: its slots move, and what was lost is dated', async () => {
  await using lost = await migratedDatabase('postgres')
  await using other = await migratedDatabase('postgres')
  await using gate = await startGate(lost.url)
  await using stage = await setStage({ flavour: 'postgres', environment: { POSTERN_LOG_URLS: `${gate.url},${other.url}` } })
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, { url: stage.origins.base_url })
    return { code, says: stdout + stderr }
  }
  const rows = async () => {
    const { says } = await run('logs', 'list')
    return says.split('\n').slice(1, -1)
  }
  const [one, two] = await rows()
  assert.match(one!, /^1 +used +128 +0 +0 +– /)
  assert.match(two!, /^2 +used +128 +0 +0 +– /)
  const answers = await run('logs', 'drain', '1', '--lost')
  assert.equal(answers.code, 1)
  assert.match(answers.says, /The event log 1 answers the process 0: drain it without `lost`, so that what it has is sent\./)

  await gate.shut()
  await stage.until(async () => /^1 +away since \S+Z +128 /.test((await rows())[0]!))
  const fromMs = Date.now()
  const drained = await run('logs', 'drain', '1', '--lost')
  assert.equal(drained.code, 0, drained.says)
  const [, date] =
    /^128 slots were moved from event log 1 to others\. What was accepted for them before (\S+) and was not sent is lost, and cannot be replayed\. Take its URL out of POSTERN_LOG_URLS, and restart the processes one by one\.\n$/.exec(
      drained.says,
    ) ?? assert.fail(drained.says)
  assert.ok(Date.parse(date!) <= fromMs, 'it was away before')
  assert.deepEqual(
    (await rows()).map((row) => row.split(/ {2,}/).slice(2, 4)),
    [
      ['0', '0'],
      ['256', '0'],
    ],
  )
  assert.equal((await run('logs', 'drain', '2', '--lost')).code, 1, 'the last one is not given up')
})

test('a log is named by its number', async () => {
  const { code, stderr } = await runCommand(['logs', 'drain', 'two', '--lost'])
  assert.equal(code, 2)
  assert.match(stderr, /^<log> is the number of an event log, and not two\.\n/)
})
