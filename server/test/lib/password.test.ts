import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, isPasswordHash, isPasswordOf } from '../../src/lib/password.ts'
import { cases } from '../stage/cases.ts'

/** What the reference implementation of argon2id (version 1.3) makes of `password` and the salt `somesalt`. */
const REFERENCE = [
  '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
]

/** Of each kind, in turns; the cheapest are compared, because other work of this machine makes some dearer. */
const VERIFICATIONS = cases(8, 20)

const SALT_AND_TAG = 'c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'

test('the password of a hash matches, and no other does', async () => {
  const hash = await hashPassword('correct horse')
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.equal(isPasswordHash(hash), true)
  assert.equal(await isPasswordOf(hash, 'correct horse'), true)
  for (const wrong of ['', 'correct horse ', 'Correct horse', 'correct horse\0', hash]) assert.equal(await isPasswordOf(hash, wrong), false)
})

test('two hashes of one password are different, and any text can be a password', async () => {
  for (const password of ['', 'пароль 🐚', 'a'.repeat(500)]) {
    const [one, other] = [await hashPassword(password), await hashPassword(password)]
    assert.notEqual(one, other)
    assert.equal(await isPasswordOf(other, password), true)
  }
})

test('hashes of other programs, with other costs, are accepted', async () => {
  for (const hash of REFERENCE) {
    assert.equal(isPasswordHash(hash), true)
    assert.equal(await isPasswordOf(hash, 'password'), true, hash)
    assert.equal(await isPasswordOf(hash, 'passwore'), false, hash)
  }
})

test('a text that is not an argon2id hash, or costs too much, is not a hash and has no password', async () => {
  const refused = [
    '',
    'correct horse',
    '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
    ...['argon2i', 'argon2d', 'ARGON2ID'].map((kind) => `$${kind}$v=19$m=256,t=2,p=1$${SALT_AND_TAG}`),
    `$argon2id$v=16$m=256,t=2,p=1$${SALT_AND_TAG}`,
    `$argon2id$m=256,t=2,p=1$${SALT_AND_TAG}`,
    ...['m=262145,t=2,p=1', 'm=256,t=11,p=1', 'm=256,t=2,p=9'].map((cost) => `$argon2id$v=19$${cost}$${SALT_AND_TAG}`),
    ...['m=0,t=2,p=1', 'm=256,t=0,p=1', 'm=256,t=2,p=0', 'm=15,t=2,p=2', 'm=-1,t=2,p=1'].map((c) => `$argon2id$v=19$${c}$${SALT_AND_TAG}`),
    '$argon2id$v=19$m=256,t=2,p=1$c2FsdA$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65',
    ` ${REFERENCE[0]}`,
    `${REFERENCE[0]}\n`,
  ]
  for (const hash of refused) {
    assert.equal(isPasswordHash(hash), false, JSON.stringify(hash))
    assert.equal(await isPasswordOf(hash, 'password'), false, JSON.stringify(hash))
  }
})

test("without a hash no password matches, not even the bytes of the placeholder's tag", async () => {
  for (const hash of [null, undefined])
    for (const password of ['', 'password', '\0'.repeat(32)]) assert.equal(await isPasswordOf(hash, password), false)
})

/** The processor time of a verification, of all threads. */
async function costOf(hash: string | undefined) {
  const before = process.cpuUsage()
  await isPasswordOf(hash, 'wrong')
  const { user, system } = process.cpuUsage(before)
  return user + system
}

test('without a hash the check takes as much work as with one', async () => {
  const hash = await hashPassword('correct horse')
  const costs: { wrong: number; unknown: number }[] = []
  for (let time = 0; time < VERIFICATIONS; time += 1) costs.push({ wrong: await costOf(hash), unknown: await costOf(undefined) })
  const least = (kind: 'wrong' | 'unknown') => Math.min(...costs.map((cost) => cost[kind]))
  const ratio = least('unknown') / least('wrong')
  assert.ok(ratio > 0.5 && ratio < 2, `an unknown name costs ${ratio.toFixed(2)} times what a wrong password costs`)
})

test('hashing does not block the event loop', async () => {
  let rounds = 0
  let isDone = false
  const done = hashPassword('correct horse').finally(() => (isDone = true))
  while (!isDone) {
    rounds += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  await done
  assert.ok(rounds > 10, `the event loop went round ${rounds} times meanwhile`)
})
