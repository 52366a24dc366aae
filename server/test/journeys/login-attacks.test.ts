// Attacks on passwords: what guessing comes to, and that it keeps no user out.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Answer } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Pair, setPair } from '../stage/pair.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { ada, askForSignIn, atApprovalPage, grace, hidden, PASSWORD, signInSeed } from '../stage/sign-in.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const right = { username: ada.username, password: PASSWORD }
const wrong = { username: ada.username, password: 'wrong' }

/** Accounts of others. What nobody's password costs to verify is a test of its own. */
const neighbours = Array.from({ length: 6 }, (_, n) => ({ ...ada, id: String(200 + n), username: `neighbour${n}` }))
const ofNeighbours = (n: number) => ({ username: `neighbour${n % 6}`, password: 'wrong' })
const seed = { ...signInSeed, users: [...signInSeed.users!, ...neighbours] }

/** The addresses of one test. No other test counts, or gets to know, any of them. */
const addressesOf = (test: number) => ({
  attacker: (n: number) => `10.${test}.${n >> 8}.${n & 255}`,
  /** The n-th network of 64 bits in a site, and a host in it. */
  inSite: (site: number, n: number, host = 1) => `2001:db8:${(test * 100 + site).toString(16)}:${n.toString(16)}::${host.toString(16)}`,
  home: `203.0.${test}.7`,
  elsewhere: `203.0.${test}.99`,
})

const times = (count: number, status: number) => Array.from({ length: count }, () => status)
const retryAfterOf = ({ headers }: Answer) => Number(headers.get('retry-after'))

/** Tries passwords at one server or two in turn. A form is good until a password was right or its request token has expired. */
function createGuesser(one: Stage, other = one) {
  let form: { oauth_token: string; proof: string; cookie: string } | undefined
  let tries = 0

  const openForm = async () => {
    const visitor = atApprovalPage(one)
    const { oauth_token } = await askForSignIn(one)
    const { text } = await visitor.open(oauth_token)
    return { oauth_token, proof: hidden(text, 'proof'), cookie: visitor.cookie() }
  }

  async function logIn(address: string, credentials: Record<string, string>): Promise<Answer> {
    form ??= await openForm()
    const { cookie, ...fields } = form
    const visitor = atApprovalPage(tries++ % 2 === 0 ? one : other, { 'x-forwarded-for': address })
    visitor.setCookie(cookie)
    const answer = await visitor.send({ ...fields, decision: 'allow', ...credentials })
    if (answer.status === 302) form = undefined
    return answer
  }

  return {
    logIn,
    async statuses(often: number, from: (n: number) => string, credentials: (n: number) => Record<string, string> = () => wrong) {
      const found: number[] = []
      for (let n = 0; n < often; n++) found.push((await logIn(from(n), credentials(n))).status)
      return found
    },
    /** Moves the wall clock alone: the timers of days would all have to run. */
    pass(ms: number) {
      one.clock.setOffset(one.clock.offset() + ms)
      form = undefined
    },
  }
}
type Guesser = ReturnType<typeof createGuesser>

for (const flavour of databasesOf(import.meta))
  suite(`guessing passwords on ${flavour}`, () => {
    let pair: Pair
    let logIn: Guesser['logIn']
    let statuses: Guesser['statuses']
    let pass: Guesser['pass']
    before(async () => {
      pair = await setPair({ flavour, seed })
      ;({ logIn, statuses, pass } = createGuesser(pair.one, pair.other))
    })
    after(() => pair[Symbol.asyncDispose]())

    /** Each test begins with nothing counted, as every window has ended, and with addresses of its own. */
    let begun = 0
    const begin = () => {
      pass(2 * DAY_MS)
      begun += 1
      return addressesOf(begun)
    }

    test('ten wrong passwords from ten addresses keep the user out nowhere', async () => {
      const { attacker, home } = begin()
      assert.deepEqual(await statuses(12, attacker), times(12, 401))
      assert.equal((await logIn(home, right)).status, 302)
      assert.equal((await logIn(attacker(0), right)).status, 302)
    })

    test('ten wrong passwords from one address slow that address down for this account for 15 minutes, and nobody else', async () => {
      const { attacker } = begin()
      assert.deepEqual(await statuses(11, () => attacker(0)), [...times(10, 401), 429])
      const refused = await logIn(attacker(0), right)
      assert.equal(refused.status, 429)
      assert.match(refused.text, /Too many failed sign-ins. Please try again in 15 minutes\./)
      assert.ok(retryAfterOf(refused) > 840 && retryAfterOf(refused) <= 900)
      assert.equal((await logIn(attacker(0), { ...right, username: grace.username })).status, 302)
      assert.equal((await logIn(attacker(1), right)).status, 302)
      pass(15 * MINUTE_MS)
      assert.equal((await logIn(attacker(0), right)).status, 302)
    })

    test('an IPv6 network of 64 bits is one address', async () => {
      const { inSite } = begin()
      assert.deepEqual(await statuses(11, (n) => inSite(1, 2, n + 1)), [...times(10, 401), 429])
      assert.equal((await logIn(inSite(1, 3), right)).status, 302)
    })

    test('an address may fail 50 times in 15 minutes, whatever the account, and no other address suffers', async () => {
      const { attacker } = begin()
      assert.deepEqual(await statuses(51, () => attacker(0), ofNeighbours), [...times(50, 401), 429])
      assert.equal((await logIn(attacker(0), right)).status, 429)
      assert.equal((await logIn(attacker(1), right)).status, 302)
    })

    test('an address that the user signed in from is not refused for what its neighbours try with other accounts', async () => {
      const { home } = begin()
      assert.equal((await logIn(home, right)).status, 302)
      await statuses(51, () => home, ofNeighbours)
      assert.equal((await logIn(home, right)).status, 302)
      assert.equal((await logIn(home, { ...right, username: grace.username })).status, 429)
    })

    test('a hundred wrong passwords in a day leave each further address three, and the user a right one anywhere', async () => {
      const { attacker, elsewhere } = begin()
      for (let minute = 0; minute < 10; minute++) {
        assert.deepEqual(await statuses(10, (n) => attacker(minute * 10 + n)), times(10, 401))
        pass(MINUTE_MS)
      }
      assert.deepEqual(await statuses(5, () => attacker(500)), [401, 401, 401, 429, 429])
      const refused = await logIn(attacker(500), right)
      assert.equal(refused.status, 429)
      assert.match(refused.text, /Please try again in 24 hours\./)
      assert.ok(retryAfterOf(refused) > 86_000 && retryAfterOf(refused) <= 86_400)
      assert.equal((await logIn(elsewhere, right)).status, 302)
      assert.equal((await logIn(attacker(501), right)).status, 302)
      assert.deepEqual(await statuses(5, () => attacker(501)), times(5, 401), 'an address that the user signed in from')
      assert.equal((await logIn(attacker(501), { ...right, username: grace.username })).status, 302)
      pass(DAY_MS)
      assert.equal((await logIn(attacker(500), right)).status, 302)
    })

    test('under attack an IPv6 network of 48 bits has thirty in a day', async () => {
      const { attacker, inSite } = begin()
      for (let n = 0; n < 100; n++) await logIn(attacker(n), wrong)
      pass(MINUTE_MS)
      assert.deepEqual(await statuses(32, (n) => inSite(1, n)), [...times(30, 401), 429, 429])
      assert.equal((await logIn(inSite(2, 1), right)).status, 302)
    })

    test('a hundred wrong passwords a minute are judged for an account, from however many addresses; known ones are judged besides', async () => {
      const { attacker, home, elsewhere } = begin()
      assert.equal((await logIn(home, right)).status, 302)
      const judged = await statuses(103, (n) => attacker(n))
      assert.deepEqual(judged, [...times(100, 401), ...times(3, 429)])
      const refused = await logIn(elsewhere, right)
      assert.equal(refused.status, 429)
      assert.ok(retryAfterOf(refused) >= 1 && retryAfterOf(refused) <= 60)
      assert.equal((await logIn(home, right)).status, 302)
      pass(MINUTE_MS)
      assert.equal((await logIn(elsewhere, right)).status, 302)
    })

    test('what is refused unjudged does not count against the account', async () => {
      const { attacker } = begin()
      await statuses(60, () => attacker(0))
      assert.deepEqual(await statuses(90, (n) => attacker(n + 1)), times(90, 401))
    })

    test('an account that does not exist is slowed down like one that does', async () => {
      for (const username of ['nobody', ada.username]) {
        const { attacker } = begin()
        const guess = () => ({ username, password: 'wrong' })
        assert.deepEqual(await statuses(12, () => attacker(0), guess), [...times(10, 401), 429, 429], username)
      }
    })

    test('successes never count', async () => {
      const { home } = begin()
      assert.deepEqual(
        await statuses(
          12,
          () => home,
          () => right,
        ),
        times(12, 302),
      )
      assert.deepEqual(await statuses(11, () => home), [...times(10, 401), 429])
    })

    test('twenty at once pass no limit', async () => {
      const { attacker } = begin()
      const answers = await Promise.all(Array.from({ length: 20 }, () => logIn(attacker(0), wrong)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [...times(10, 401), ...times(10, 429)])
    })
  })

test('an address is known for 90 days after a sign-in, over a restart', async () => {
  await using stage = await setStage({ seed })
  const { home } = addressesOf(1)
  const guesser = createGuesser(stage)
  const logIn = async (address: string, credentials: Record<string, string>) => (await guesser.logIn(address, credentials)).status
  const flood = async () => {
    for (let n = 0; n < 51; n++) await logIn(home, ofNeighbours(n))
  }
  assert.equal(await logIn(home, right), 302)
  await stage.restart()
  guesser.pass(89 * DAY_MS)
  await flood()
  assert.equal(await logIn(home, right), 302)
  guesser.pass(91 * DAY_MS)
  await flood()
  assert.equal(await logIn(home, right), 429)
})
