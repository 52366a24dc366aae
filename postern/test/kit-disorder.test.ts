import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Postern, startPostern, type World } from 'postern'
import { programFolder, runNode } from './take-over/led-programs.ts'

const statusOf = async ({ url }: Pick<Postern, 'url'>, { app }: Pick<World, 'app'>) => {
  const headers = { authorization: `Bearer ${await app.bearerToken()}` }
  const answer = await fetch(`${url}/2/webhooks`, { headers })
  await answer.text().catch(() => undefined)
  return answer.status
}

async function repeated<Value>(times: number, task: () => Promise<Value>): Promise<Value[]> {
  const values = []
  for (let made = 0; made < times; made += 1) values.push(await task())
  return values
}

test('two servers with one seed refuse the same calls, and the log says which', async () => {
  const run = async () => {
    await using postern = await startPostern()
    await using disorder = await postern.disorder({ seed: 7, calls: 0.5, deliveries: 0, kinds: ['status'] })
    const statuses = await repeated(12, () => statusOf(postern, postern))
    return { statuses, said: await disorder.describe(), drawn: await disorder.drawn() }
  }
  const [one, other] = [await run(), await run()]
  assert.deepEqual(one.statuses, other.statuses)
  assert.equal(one.said, other.said)
  const refused = one.statuses.flatMap((status, at) => (status === 200 ? [] : [{ count: at + 1, status }]))
  assert.ok(refused.length > 1)
  assert.deepEqual(
    one.drawn.map(({ count, status }) => ({ count, status })),
    refused,
  )
  const lines = refused.map(
    ({ count, status }, at) => `GET /2/webhooks, call ${count} of app 1: refused with ${status} (disorder-7-${at + 1})`,
  )
  assert.deepEqual(one.said.split('\n'), [
    `The disorder with the seed 7 hit ${refused.length} of 12 calls and 0 of 0 attempts of deliveries.`,
    ...lines,
  ])
})

test('worlds that run at once have the same faults as each would have alone, and none after the end', async () => {
  await using postern = await startPostern()
  const run = async () => {
    await using world = await postern.world()
    const disorder = await world.disorder({ seed: 11, calls: 0.5, kinds: ['status'] })
    const statuses = await repeated(8, () => statusOf(postern, world))
    await disorder.end()
    await disorder.end()
    assert.equal((await disorder.drawn()).length, statuses.filter((status) => status !== 200).length)
    return [statuses, await repeated(8, () => statusOf(postern, world))]
  }
  const [alone, ...together] = [await run(), ...(await Promise.all([run(), run()]))]
  assert.ok(alone![0]!.some((status) => status !== 200))
  assert.ok(alone![1]!.every((status) => status === 200))
  for (const one of together) assert.deepEqual(one, alone)
})

test('an inbox that gets nothing in time says the seed of the disorder, and the fault that hit', async () => {
  await using postern = await startPostern()
  await postern.inbox.register({ events: ['dm.received'] })
  await using disorder = await postern.disorder({ seed: 5, calls: 0, deliveries: 0.5, kinds: ['status'] })
  let said = ''
  while (said === '') {
    await postern.trigger('dm.received', { to: 'ada' })
    said = await postern.inbox.next('dm.received', { timeoutMs: 0 }).then(
      () => '',
      ({ message }) => message,
    )
  }
  const [{ fault, status } = { fault: '', status: 0 }] = await disorder.drawn()
  assert.ok(said.includes(`answered ${status}`), said)
  assert.ok(said.includes(`It was hit by fault ${fault} (status).`), said)
  assert.match(said, /A disorder with the seed 5 is under way, and has hit 1 of \d+ attempts of deliveries\./)
})

test('an unknown option, and a second disorder, are refused with the next step', async () => {
  await using postern = await startPostern()
  // @ts-expect-error: it does not compile either
  await assert.rejects(postern.disorder({ seeds: 7 }), /disorder has no option seeds\. Did you mean seed\?/)
  await postern.disorder({ seed: 7 })
  await assert.rejects(
    postern.disorder({ seed: 8 }),
    /The disorder 1 with the seed 7 is under way for all apps\. End it first, .*`await disorder\.end\(\)`/,
  )
})

suite('a test run with a disorder', () => {
  const program = (options: string, assertion: string, before = '') => `
    import assert from 'node:assert/strict'
    import { test } from 'node:test'
    import { startPostern } from 'postern'
    test('one', async () => {
      await using postern = await startPostern()
      ${before}
      await using disorder = await postern.disorder(${options})
      ${assertion}
    })`

  const run = async (code: string, environment: Record<string, string> = {}, words = ['--test']) => {
    using folder = programFolder()
    const {
      code: status,
      stdout,
      stderr,
    } = await runNode([...words, folder.write('some.test.js', code)], { cwd: folder.path, environment })
    return { status, output: stdout + stderr }
  }

  test('that fails prints the seed that was drawn, of a disorder that began, and how to have it again, which works; that passes prints nothing of it', async () => {
    const refused = `await assert.rejects(postern.disorder({ seed: 4711, calls: 2 }), /calls: must be at most 0\\.5/)`
    const { status, output } = await run(program('', 'assert.fail("as it should")', refused))
    assert.equal(status, 1, output)
    const [, seed] = /postern: disorder seed (\d+); POSTERN_DISORDER_SEED=\1 brings the same faults again/.exec(output) ?? []
    assert.ok(seed, output)
    assert.equal(output.split('postern: disorder').length - 1, 1, output)
    const again = await run(program('', `assert.equal(disorder.seed, ${seed})`), { POSTERN_DISORDER_SEED: seed }, [])
    assert.equal(again.status, 0, again.output)
    assert.doesNotMatch(again.output, /postern:/)
  })

  test('whose runner tells no worker of failures prints the seed at once', async () => {
    const { status, output } = await run(program('{ seed: 4711 }', ''), { VITEST: 'true' }, [])
    assert.equal(status, 0, output)
    assert.match(output, /postern: disorder seed 4711$/m)
  })

  test('with a seed in the environment that is none fails by its name', async () => {
    await using postern = await startPostern()
    process.env.POSTERN_DISORDER_SEED = 'seven'
    try {
      await assert.rejects(postern.disorder(), /POSTERN_DISORDER_SEED must be a whole number below 4294967296, and not seven/)
    } finally {
      delete process.env.POSTERN_DISORDER_SEED
    }
  })
})
