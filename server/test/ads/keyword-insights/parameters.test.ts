import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type AdsParams, adsCaller, adsSeed, dataOf } from '../../stage/ads.ts'
import { databasesOf } from '../../stage/databases.ts'
import { demoApp, setStage } from '../../stage/postern.ts'
import { ada, grace } from '../../stage/sign-in.ts'

const SEARCH = '/12/insights/keywords/search'

const HOUR_MS = 3_600_000

/** 2026-03-02 10:30. */
const NOW = Date.parse('2026-03-02T10:30:00.000Z')

const place = { full_name: 'Berlin', name: 'Berlin', country: 'Germany', country_code: 'DE', place_type: 'city' }

const at = (created_at: string, text: string, more: object = {}) => ({
  author_id: ada.id,
  text,
  created_at: `2026-${created_at}:00.000Z`,
  ...more,
})

const seed = {
  ...adsSeed,
  places: [
    { id: 'b1', ...place },
    { id: 'd1', ...place, full_name: 'Germany', name: 'Germany', place_type: 'country' },
  ],
  users: adsSeed.users!.map((user) => ({ ...user, ...(user.id === grace.id && { protected: true }) })),
  posts: [
    at('02-28T23:59', 'Coffee before midnight'),
    at('03-01T00:00', 'Coffee and rain #monday'),
    at('03-01T09:10', 'More coffee, by the river', { geo: { place_id: 'b1' } }),
    at('03-01T09:50', 'Rain again @grace_h $TEA'),
    at('03-01T10:05', 'Coffee nobody may see', { nullcast: true }),
    at('03-01T10:06', 'Coffee that is gone', { restriction: 'unavailable' }),
    at('03-01T10:07', 'Coffee of a protected author', { author_id: grace.id }),
    at('03-02T10:00', 'The coffee of this hour: black coffee'),
  ],
} as object as typeof adsSeed

const DAYS = { granularity: 'DAY', start_time: '2026-03-01', end_time: '2026-03-03' }

/** Parameters that are sent, with what is answered: the volume, or every message. */
const table: [AdsParams, number[] | string | string[]][] = [
  [{ ...DAYS, keywords: 'coffee' }, [2, 1]],
  [{ ...DAYS, keywords: 'COFFEE' }, [2, 1]],
  [{ ...DAYS, keywords: 'coffee,rain' }, [3, 1]],
  [{ ...DAYS, keywords: 'coffee, rain ,coffee' }, [3, 1]],
  [{ ...DAYS, keywords: 'coffee,rain', negative_keywords: 'river' }, [2, 1]],
  [{ ...DAYS, keywords: 'coffee', negative_keywords: 'rain,black' }, [1, 0]],
  [{ ...DAYS, keywords: 'coffee rain' }, [1, 0]],
  [{ ...DAYS, keywords: '"and rain"' }, [1, 0]],
  [{ ...DAYS, keywords: '"rain and"' }, [0, 0]],
  [{ ...DAYS, keywords: 'coffee', negative_keywords: '"black coffee"' }, [2, 0]],
  [{ ...DAYS, keywords: '#Monday' }, [1, 0]],
  [{ ...DAYS, keywords: '@Grace_H' }, [1, 0]],
  [{ ...DAYS, keywords: '$tea' }, [1, 0]],
  [{ ...DAYS, keywords: 'coffee', location: 'de' }, [1, 0]],
  [{ ...DAYS, keywords: 'coffee', location: 'd1' }, [1, 0]],
  [{ ...DAYS, keywords: 'coffee', location: 'fdcd221ac44fa326' }, [1, 0]],
  [{ ...DAYS, keywords: 'coffee', location: '96683cc9126741d1' }, [0, 0]],
  [{ ...DAYS, keywords: 'coffee', location: 'b1' }, 'Expected the targeting value of a country, got "b1" for location'],
  [{ ...DAYS, keywords: 'coffee', location: 'XX' }, 'Expected the targeting value of a country, got "XX" for location'],
  [{ ...DAYS, keywords: 'coffee', location: 'nowhere' }, 'Expected the targeting value of a country, got "nowhere" for location'],
  // Both ends are floored to their bucket.
  [{ ...DAYS, keywords: 'coffee', start_time: '2026-03-01T09:59:59Z', end_time: '2026-03-02T23:00:00Z' }, [2]],
  [{ granularity: 'HOUR', keywords: 'coffee', start_time: '2026-03-01T09:15:00Z', end_time: '2026-03-01T11:59:00Z' }, [1, 0]],
  [{ granularity: 'HOUR', keywords: 'coffee', start_time: '2026-03-02T01:00:00+01:00', end_time: '2026-03-02T01:00:00Z' }, [0]],
  // Without an end it is now, 10:30: the hour and the day that run count.
  [{ granularity: 'HOUR', keywords: 'coffee', start_time: '2026-03-02T08:00:00Z' }, [0, 0, 1]],
  [{ granularity: 'HOUR', keywords: 'coffee', start_time: '2026-03-02T10:15:00Z' }, [1]],
  [{ granularity: 'DAY', keywords: 'coffee', start_time: '2026-02-28' }, [1, 2, 1]],
  [{ granularity: 'DAY', keywords: 'coffee', start_time: '2026-02-23T10:30:00Z' }, [0, 0, 0, 0, 0, 1, 2, 1]],
  [{ granularity: 'DAY', keywords: 'coffee', start_time: '2026-02-23T10:29:59Z' }, 'end_time may lie at most 7 days after start_time'],
  [{ granularity: 'HOUR', keywords: 'coffee', start_time: '2026-03-02T10:00:00Z', end_time: '2026-03-02T12:00:00Z' }, [1, 0]],
  [{ granularity: 'DAY', keywords: 'coffee', start_time: '2026-02-23', end_time: '2026-03-02' }, [0, 0, 0, 0, 0, 1, 2]],
  [
    { granularity: 'DAY', keywords: 'coffee', start_time: '2026-02-23', end_time: '2026-03-02T00:00:01Z' },
    'end_time may lie at most 7 days after start_time',
  ],
  [
    { granularity: 'HOUR', keywords: 'coffee', start_time: '2026-03-02T08:10:00Z', end_time: '2026-03-02T08:50:00Z' },
    'there is no full HOUR between start_time and end_time, which are floored to it',
  ],
  [
    { granularity: 'HOUR', keywords: 'coffee', start_time: '2026-03-02T10:31:00Z' },
    'start_time must not lie after now, which end_time is by default',
  ],
  [
    { ...DAYS, keywords: 'coffee', start_time: '2026-03-03', end_time: '2026-03-03' },
    '`end_time` must lie after `start_time`'.replaceAll('`', ''),
  ],
  [{}, ['"granularity" is a required parameter', '"keywords" is a required parameter', '"start_time" is a required parameter']],
  [{ ...DAYS, keywords: 'coffee', granularity: 'WEEK' }, 'Expected a value in DAY, HOUR, got "WEEK" for granularity'],
  [{ ...DAYS, keywords: 'coffee', start_time: 'soon' }, 'Expected time, got "soon" for start_time'],
  [{ ...DAYS, keywords: 'coffee', end_time: '' }, 'Expected time, got "" for end_time'],
  [{ ...DAYS, keywords: 'a,b,c,d,e,f,g', negative_keywords: 'h,i,j' }, [0, 0]],
  [
    { ...DAYS, keywords: 'a,b,c,d,e,f,g', negative_keywords: 'h,i,j,k' },
    'keywords and negative_keywords may have at most 10 values together',
  ],
  [
    { ...DAYS, keywords: 'a,b,c,d,e,f,g,h,i,j,k' },
    ['Expected a list of between 1 and 10 values, got "a,b,c,d,e,f,g,h,i,j,k" for keywords'],
  ],
  [
    { ...DAYS, granularity: 'WEEK', keywords: 'a,b,c,d,e,f,g,h,i,j,k', negative_keywords: '(tea)', location: 'zz' },
    [
      'Expected a value in DAY, HOUR, got "WEEK" for granularity',
      'Expected a list of between 1 and 10 values, got "a,b,c,d,e,f,g,h,i,j,k" for keywords',
      'Expected the targeting value of a country, got "zz" for location',
      'Expected a keyword, got "(tea)" for negative_keywords: brackets are not supported',
    ],
  ],
  [
    { ...DAYS, keywords: 'tea', end_time: '2026-03-09', location: 'zz' },
    ['end_time may lie at most 7 days after start_time', 'Expected the targeting value of a country, got "zz" for location'],
  ],
  [{ ...DAYS, keywords: '' }, 'Expected a text of at least 1 characters, got "" for keywords'],
  [{ ...DAYS, keywords: 'a,,b' }, 'Expected a text of at least 1 characters, got "" for keywords'],
  [{ ...DAYS, keywords: 'from:ada' }, 'Expected a keyword, got "from:ada" for keywords: from: is not supported in keywords'],
  [{ ...DAYS, keywords: 'has:links' }, 'Expected a keyword, got "has:links" for keywords: has: is not supported in keywords'],
  [{ ...DAYS, keywords: 'url:example.com' }, 'Expected a keyword, got "url:example.com" for keywords: url: is not supported in keywords'],
  [{ ...DAYS, keywords: '(tea)' }, 'Expected a keyword, got "(tea)" for keywords: brackets are not supported'],
  [
    { ...DAYS, keywords: 'tea -milk' },
    'Expected a keyword, got "tea -milk" for keywords: negation with - is not supported: send a negative keyword',
  ],
  [
    { ...DAYS, keywords: 'tea OR milk', negative_keywords: '"' },
    [
      'Expected a keyword, got "tea OR milk" for keywords: OR is not supported: separate keywords by commas',
      'Expected a keyword, got """ for negative_keywords: this quote is not closed (at position 1)',
    ],
  ],
  [
    { ...DAYS, keywords: '!?' },
    `Expected a keyword, got "!?" for keywords: '!?' has no letter, digit or emoji to look for (at position 1)`,
  ],
  [
    { ...DAYS, keywords: 'a b c d e f g h i j k' },
    'Expected a keyword, got "a b c d e f g h i j k" for keywords: a keyword may have 10 words at most; this has 11',
  ],
  [
    { ...DAYS, keywords: 'x'.repeat(81) },
    `Expected a keyword, got "${'x'.repeat(81)}" for keywords: a query may have 80 characters at most; this has 81 (at position 1)`,
  ],
  [{ ...DAYS, keywords: 'x'.repeat(80) }, [0, 0]],
]

for (const flavour of databasesOf(import.meta))
  suite(`parameters of keyword insights on ${flavour}`, () => {
    test('each rule holds both ways, and errors name the parameter and the rule', async () => {
      await using stage = await setStage({ flavour, seed })
      stage.clock.setOffset(NOW - Date.now())
      const ads = adsCaller(stage)
      for (const [params, expected] of table) {
        const answer = await ads('GET', SEARCH, params)
        const what = JSON.stringify(params)
        if (Array.isArray(expected) && expected.every((one) => typeof one === 'number')) {
          assert.deepEqual(dataOf(answer).tweet_volume, expected, what)
          assert.deepEqual(Object.keys(answer.body).sort(), ['data', 'request'])
          continue
        }
        assert.equal(answer.status, 400, `${what}: ${answer.text}`)
        assert.deepEqual(
          answer.body.errors.map(({ message }: { message: string }) => message),
          [expected].flat(),
          what,
        )
      }
      const { body } = await ads('GET', SEARCH, { ...DAYS, keywords: 'Coffee, rain', negative_keywords: 'x' })
      assert.deepEqual(body.request.params, {
        granularity: 'DAY',
        keywords: ['Coffee', 'rain'],
        negative_keywords: ['x'],
        start_time: '2026-03-01T00:00:00Z',
        end_time: '2026-03-03T00:00:00Z',
      })
    })

    test('related keywords are those of the same posts, tags with their signs, without the keywords and frequent words', async () => {
      await using stage = await setStage({ flavour, seed })
      stage.clock.setOffset(NOW - Date.now())
      const related = async (keywords: string) => dataOf(await adsCaller(stage)('GET', SEARCH, { ...DAYS, keywords })).related_keywords
      assert.deepEqual(await related('rain'), ['#monday', '$tea', 'coffee'])
      assert.deepEqual(await related('coffee,rain'), ['#monday', '$tea', 'black', 'hour', 'river'])
      assert.deepEqual(await related('nothing'), [])
    })

    test('posts count at once, a moved clock included, while everybody may see them', async () => {
      const author = { id: '77', username: 'gull', name: 'Gull' }
      await using stage = await setStage({ flavour, seed: { ...seed, users: [...seed.users!, author] } as typeof seed })
      // The hour of a post is that in which it is counted.
      stage.clock.advance(HOUR_MS - (stage.clock.now() % HOUR_MS))
      const ads = adsCaller(stage)
      const volume = async () => {
        const start = Math.floor(stage.clock.now() / HOUR_MS) * HOUR_MS
        const [start_time, end_time] = [start, start + HOUR_MS].map((ms) => new Date(ms).toISOString())
        return dataOf(await ads('GET', SEARCH, { granularity: 'HOUR', keywords: 'gull', start_time: start_time!, end_time: end_time! }))
          .tweet_volume
      }
      const post = async () => {
        const created_at = new Date(stage.clock.now()).toISOString()
        const seeded = await stage.operator('POST', '/operator/seed', {
          posts: [{ author_id: author.id, text: `A gull at ${created_at}`, created_at }],
        })
        assert.equal(seeded.status, 200, seeded.text)
      }
      const change = async (method: string, json?: object) => {
        const { status, text } = await stage.operator(method, `/operator/users/${author.id}`, json)
        assert.ok(status < 300, text)
      }
      assert.deepEqual(await volume(), [0])
      await post()
      assert.deepEqual(await volume(), [1])
      stage.clock.advance(3 * HOUR_MS)
      assert.deepEqual(await volume(), [0])
      await post()
      assert.deepEqual(await volume(), [1])
      await change('PATCH', { disabled: true })
      assert.deepEqual(await volume(), [0])
      await change('PATCH', { disabled: false })
      assert.deepEqual(await volume(), [1])
      await change('DELETE')
      assert.deepEqual(await volume(), [0])
    })

    test('it takes a signed user of an app with access to the advertising API, five hundred times in fifteen minutes', async () => {
      await using stage = await setStage({ flavour, seed, environment: { POSTERN_RATE_LIMITS: 'on' } })
      const answer = await adsCaller(stage)('GET', SEARCH, { ...DAYS, keywords: 'coffee' })
      assert.equal(answer.headers.get('x-rate-limit-limit'), '500')
      assert.equal(answer.headers.get('x-rate-limit-remaining'), '499')
      const strangers = { consumer_key: demoApp.consumer_key, consumer_secret: 'wrong' }
      assert.equal((await adsCaller(stage, 'production', strangers)('GET', SEARCH, { ...DAYS, keywords: 'x' })).status, 401)
      assert.deepEqual(dataOf(await adsCaller(stage, 'sandbox')('GET', SEARCH, { ...DAYS, keywords: 'coffee' })).tweet_volume, [2, 1])
    })
  })
