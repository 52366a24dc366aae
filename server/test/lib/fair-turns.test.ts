import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfTurn } from '../../src/lib/clock.ts'
import { createFairTurns, type FairTurnsOptions, unshared } from '../../src/lib/fair-turns.ts'

const refusal = () => new Error('too much waits')

/** Turns of 5 ms by a clock that moves by hand. Work notes its name when it may begin. */
function handMoved(options: Partial<FairTurnsOptions> = {}) {
  let nowMs = 0
  const made = createFairTurns({ monotonic: () => nowMs, refusal, sliceMs: 5, ...options })
  const turns = { ...made, begin: (owner: string) => made.begin(() => owner) }
  const begun: string[] = []
  /** Work of an owner that takes so long. */
  const work = async (owner: string, name: string, tookMs: number) => {
    const others = turns.begin(owner)
    if (others) await others
    begun.push(name)
    nowMs += tookMs
  }
  return { turns, begun, work, pass: (ms: number) => (nowMs += ms) }
}

test('nothing waits while a turn of the event loop has time left', () => {
  const { turns, pass } = handMoved()
  assert.equal(turns.begin('a'), undefined)
  pass(4)
  assert.deepEqual([turns.goOn('a'), turns.begin('a'), turns.begin('b')], [undefined, undefined, undefined])
})

test('once the time of a turn is over, each owner has one turn after the other, however much it asks for', async () => {
  const { begun, work } = handMoved()
  const all = [...['a1', 'a2', 'a3', 'a4'].map((name) => work('a', name, 5)), work('b', 'b1', 1), work('c', 'c1', 5), work('b', 'b2', 1)]
  await Promise.all(all)
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('whoever comes while others wait has the turn after those who came before, and one turn of the event loop each', async () => {
  const { begun, work } = handMoved()
  const all = [1, 2, 3, 4].map((n) => work('a', `a${n}`, 5))
  await endOfTurn()
  all.push(work('b', 'b1', 1))
  await Promise.all(all)
  assert.ok(begun.indexOf('b1') <= 3, `${begun}`)
})

test('whoever comes in the turn of another owner is next, before what that owner has left', async () => {
  const { begun, work } = handMoved()
  const all = [1, 2, 3].map((n) => work('a', `a${n}`, 5))
  await endOfTurn()
  all.push(work('b', 'b1', 1))
  await Promise.all(all)
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3'])
})

test('small pieces share a turn of the event loop, for a quarter of its time, and owners take turns in it too', async () => {
  const { begun, work, pass } = handMoved()
  pass(5)
  const all = [work('a', 'a1', 0.5), work('a', 'a2', 0.5), work('b', 'b1', 0.5), work('b', 'b2', 0.5)]
  await endOfTurn()
  assert.deepEqual(begun, ['a1', 'b1', 'a2'])
  await Promise.all(all)
  assert.deepEqual(begun, ['a1', 'b1', 'a2', 'b2'])
})

test('a quarter of the time is over once a piece took as long', async () => {
  const { begun, work, pass } = handMoved()
  pass(5)
  const all = [work('a', 'a1', 1.25), work('a', 'a2', 1.25)]
  await endOfTurn()
  assert.deepEqual(begun, ['a1'])
  await Promise.all(all)
})

test('16 pieces share a turn at most, however small they are', async () => {
  const { begun, work, pass } = handMoved()
  pass(5)
  const all = Array.from({ length: 40 }, (_, n) => work('a', `a${n}`, 0))
  const counts: number[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    await endOfTurn()
    counts.push(begun.length)
  }
  assert.deepEqual(counts, [16, 32, 40])
  await Promise.all(all)
})

test('a turn that has more time than work takes what came while the turn before had none left', async () => {
  const { begun, work, pass } = handMoved()
  pass(5)
  const first = work('a', 'a1', 5).then(() => work('b', 'b1', 0))
  await Promise.all([first, work('a', 'a2', 0), work('a', 'a3', 0)])
  assert.deepEqual(begun, ['a1', 'b1', 'a2', 'a3'])
})

/** Work of an owner that is not known at first: as whose it begins, and who it is found to be in the same turn. */
const unknownWork = ({ turns, begun, pass }: ReturnType<typeof handMoved>) => {
  return async (claimed: string, owner: string, name: string, tookMs: number) => {
    await turns.begin(claimed)
    await turns.beginAs(owner)
    begun.push(name)
    pass(tookMs)
  }
}

test('work whose owner becomes known goes on in its turn, but not before what an owner waits for who had not the turn before', async () => {
  const hand = handMoved()
  const work = unknownWork(hand)
  hand.pass(5)
  // One app with three tokens, and another app.
  await Promise.all([
    work('token 1', 'a', 'a1', 5),
    work('token 2', 'a', 'a2', 5),
    work('token 3', 'a', 'a3', 5),
    work('token', 'b', 'b1', 1),
  ])
  assert.deepEqual(hand.begun, ['a1', 'b1', 'a2', 'a3'])
})

test('work whose owner becomes known waits for other work of its owner, so that what has begun ends first', async () => {
  const hand = handMoved()
  const { turns, begun, pass } = hand
  const work = unknownWork(hand)
  const long = async () => {
    await turns.beginAs('a')
    begun.push('long 1')
    pass(5)
    await turns.goOn('a')
    begun.push('long 2')
  }
  await Promise.all([long(), work('token of b', 'b', 'b1', 1), work('token 1', 'a', 'a1', 1)])
  assert.ok(begun.indexOf('a1') > begun.indexOf('long 2'), `${begun}`)
})

test('an owner goes on at once as soon as work of another had a turn since its own, also work that went on', async () => {
  const { turns, pass } = handMoved()
  assert.equal(turns.beginAs('b'), undefined)
  pass(5)
  const [one, claimed, other] = [turns.goOn('a'), turns.begin('token of b'), turns.begin('token of c')]
  await one
  await claimed
  assert.equal(turns.beginAs('b'), undefined)
  await other
})

test('work of an owner waits behind the one call of it that waits already, whoever had the last turn', async () => {
  const { turns, pass } = handMoved()
  pass(5)
  const [first, second] = [turns.beginAs('a'), turns.beginAs('a')]
  await first
  assert.equal(turns.beginAs('b'), undefined)
  const third = turns.beginAs('a')
  assert.notEqual(third, undefined)
  await Promise.all([second, third])
})

test('where nothing is shared, nothing waits', () => {
  assert.deepEqual([unshared.begin(() => 'a'), unshared.beginAs('a'), unshared.goOn('a')], [undefined, undefined, undefined])
})

test('once the time of a turn is over, work whose owner becomes known waits for its own', async () => {
  const { turns, pass } = handMoved()
  assert.equal(turns.begin('token'), undefined)
  pass(5)
  assert.notEqual(turns.beginAs('a'), undefined)
})

test('work that has begun ends before other work of its owner begins', async () => {
  const { turns, begun, work, pass } = handMoved()
  const long = async () => {
    assert.equal(turns.begin('a'), undefined)
    for (let slice = 1; slice <= 3; slice += 1) {
      begun.push(`slice ${slice}`)
      pass(5)
      await turns.goOn('a')
    }
    begun.push('end')
  }
  await Promise.all([long(), work('a', 'next', 5), work('b', 'other', 5)])
  assert.deepEqual(
    begun.filter((name) => name !== 'other'),
    ['slice 1', 'slice 2', 'slice 3', 'end', 'next'],
  )
  assert.ok(begun.indexOf('other') < begun.indexOf('slice 3'), `${begun}`)
})

test('more work of an owner than may wait is refused, and that of others is not', async () => {
  const { turns, pass } = handMoved({ most: 2 })
  assert.equal(turns.begin('a'), undefined)
  pass(5)
  const waiting = [turns.begin('a'), turns.begin('a')]
  assert.throws(() => turns.begin('a'), /too much waits/)
  waiting.push(turns.goOn('a'), turns.begin('b'))
  await Promise.all(waiting)
})

test('while a turn has time left, checks of who calls do not wait, and work of who had the last turn waits behind others', async () => {
  const { turns, begun, work, pass } = handMoved()
  pass(5)
  const waiting = [work('a', 'a1', 2), work('a', 'a2', 2)]
  await endOfTurn()
  assert.deepEqual(begun, ['a1'])
  assert.equal(turns.begin('token of a'), undefined)
  assert.equal(turns.beginAs('b'), undefined)
  assert.notEqual(turns.beginAs('b'), undefined)
  await Promise.all(waiting)
})

test('a new turn has its whole time, in which nothing waits', async () => {
  const { turns, work, pass } = handMoved()
  pass(5)
  await work('a', 'a1', 4)
  assert.equal(turns.begin('b'), undefined)
  pass(1)
  assert.notEqual(turns.begin('b'), undefined)
})

test('unless told otherwise, a turn lasts 2 ms, and 1,000 pieces of work of an owner may wait', () => {
  const { turns, pass } = handMoved({ sliceMs: undefined, most: undefined })
  pass(1.9)
  assert.equal(turns.begin('a'), undefined)
  pass(0.1)
  for (let waiting = 0; waiting < 1000; waiting += 1) assert.notEqual(turns.begin('a'), undefined)
  assert.throws(() => turns.begin('a'), /too much waits/)
})
