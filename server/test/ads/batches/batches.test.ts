import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ACCOUNT, adsCaller, adsSeed, dataOf, FUNDING, mistakesOf } from '../../stage/ads.ts'
import { operation, sendBody } from '../../stage/ads-audiences.ts'
import { databasesOf } from '../../stage/databases.ts'
import { type Stage, setStage } from '../../stage/postern.ts'
import { graces } from '../../stage/signed-calls.ts'

const CAMPAIGNS = `/12/accounts/${ACCOUNT}/campaigns`
const LINE_ITEMS = `/12/accounts/${ACCOUNT}/line_items`
const CRITERIA = `/12/accounts/${ACCOUNT}/targeting_criteria`

const batchOf = (path: string) => path.replace('/12/', '/12/batch/')

const campaign = (name: string, more: object = {}) => operation('Create', { funding_instrument_id: FUNDING, name, ...more })

const lineItem = {
  objective: 'ENGAGEMENTS',
  product_type: 'PROMOTED_TWEETS',
  placements: ['ALL_ON_TWITTER'],
  start_time: '2026-03-01T12:00:00Z',
  bid_strategy: 'AUTO',
  entity_status: 'PAUSED',
}

const names = async (stage: Stage) =>
  dataOf(await adsCaller(stage)('GET', CAMPAIGNS, { sort_by: 'name-asc' })).map(({ name }: { name: string }) => name)

/** What is wrong with each operation of a refused batch: code and parameter or attribute. */
const wrongIn = (body: { operation_errors: { code: string; parameter?: string; attribute?: string }[][] }) =>
  body.operation_errors.map((errors) => errors.map(({ code, parameter, attribute }) => [code, parameter ?? attribute].join(' ').trim()))

for (const flavour of databasesOf(import.meta))
  suite(`batches on ${flavour}`, () => {
    test('campaigns are created, updated and deleted in one batch, answered in the order of the operations', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const [first, second] = ['First', 'Second'].map((name) => campaign(name, { total_budget_amount_local_micro: 5_000_000 }))
      const created = await sendBody(stage, batchOf(CAMPAIGNS), [first, second])
      const [one, other] = dataOf(created)
      assert.deepEqual([one.name, other.name, one.total_budget_amount_local_micro, one.currency], ['First', 'Second', 5_000_000, 'USD'])
      const params = { funding_instrument_id: FUNDING, total_budget_amount_local_micro: 5_000_000, account_id: ACCOUNT }
      assert.deepEqual(created.body.request, [
        { params: { ...params, name: 'First' }, operation_type: 'Create' },
        { params: { ...params, name: 'Second' }, operation_type: 'Create' },
      ])
      assert.deepEqual(Object.keys(created.body).sort(), ['data', 'request'])

      const changed = dataOf(
        await sendBody(stage, batchOf(CAMPAIGNS), [
          operation('Delete', { campaign_id: other.id.toUpperCase() }),
          campaign('Third'),
          operation('Update', { campaign_id: one.id, name: 'Renamed', total_budget_amount_local_micro: null }),
        ]),
      )
      assert.deepEqual(
        changed.map(({ name, deleted, total_budget_amount_local_micro }: Record<string, unknown>) => [
          name,
          deleted,
          total_budget_amount_local_micro,
        ]),
        [
          ['Second', true, 5_000_000],
          ['Third', false, null],
          ['Renamed', false, null],
        ],
      )
      assert.deepEqual(await names(stage), ['Renamed', 'Third'])
    })

    test('a batch whose last operation fails leaves nothing, and says what is wrong with which operation', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const good = Array.from({ length: 39 }, (_, place) => campaign(`Campaign ${place}`))
      for (const [last, error] of [
        [operation('Update', { campaign_id: 'zzz', name: 'x' }), { code: 'CAMPAIGN_NOT_FOUND', message: 'Campaign zzz was not found' }],
        [
          operation('Create', { funding_instrument_id: FUNDING }),
          { code: 'MISSING_PARAMETER', message: '"name" is a required parameter', parameter: 'name' },
        ],
      ] as const) {
        const refused = await sendBody(stage, batchOf(CAMPAIGNS), [...good, last])
        assert.equal(refused.status, 400)
        assert.deepEqual(refused.body.operation_errors, [...good.map(() => []), [error]])
        assert.deepEqual(refused.body.request.at(-1), {
          params: { ...last.params, account_id: ACCOUNT },
          operation_type: last.operation_type,
        })
        assert.deepEqual(Object.keys(refused.body).sort(), ['operation_errors', 'request'])
        assert.deepEqual(await names(stage), [])
      }
      assert.equal(dataOf(await sendBody(stage, batchOf(CAMPAIGNS), [...good, campaign('Last')])).length, 40)
    })

    test('each rule of a single endpoint holds for its operation, and all errors are answered at once', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const [{ id }] = dataOf(await sendBody(stage, batchOf(CAMPAIGNS), [campaign('One', { daily_budget_amount_local_micro: 10 })]))
      const wrong: [ReturnType<typeof operation>, string[]][] = [
        [campaign('x', { entity_status: 'GONE', start_time: 'soon' }), ['INVALID_PARAMETER entity_status', 'INVALID_PARAMETER start_time']],
        [campaign('y'.repeat(256)), ['INVALID_PARAMETER name']],
        [campaign('z', { start_time: '2027-01-02', end_time: '2027-01-01' }), ['INVALID_TIME_WINDOW end_time']],
        [operation('Create', { name: 'a', funding_instrument_id: 'zzz' }), ['FUNDING_INSTRUMENT_NOT_FOUND funding_instrument_id']],
        [operation('Create', { name: 'a', funding_instrument_id: 123 }), ['FUNDING_INSTRUMENT_NOT_FOUND funding_instrument_id']],
        [operation('Create', { name: 5, funding_instrument_id: FUNDING }), ['INVALID_PARAMETER name']],
        [
          operation('Create', { funding_instrument_id: 'not an id!' }),
          ['INVALID_PARAMETER funding_instrument_id', 'MISSING_PARAMETER name'],
        ],
        [operation('Update', { campaign_id: id, total_budget_amount_local_micro: 5 }), ['INVALID daily_budget_amount_local_micro']],
        [operation('Update', { name: 'b' }), ['MISSING_PARAMETER campaign_id']],
        [operation('Update', { campaign_id: id, name: '' }), ['INVALID_PARAMETER name']],
        [operation('Delete', { campaign_id: 'zzz' }), ['CAMPAIGN_NOT_FOUND']],
        [operation('Remove', { campaign_id: id }), ['INVALID_PARAMETER operation_type']],
        [{ params: {} } as never, ['MISSING_PARAMETER operation_type']],
        [{ operation_type: 'Delete' } as never, ['MISSING_PARAMETER params']],
        [operation('Delete', ['x']), ['INVALID_PARAMETER params']],
        ['Create' as never, ['INVALID_PARAMETER']],
      ]
      const refused = await sendBody(
        stage,
        batchOf(CAMPAIGNS),
        wrong.map(([sent]) => sent),
      )
      assert.equal(refused.status, 400)
      assert.deepEqual(
        wrongIn(refused.body).map((errors) => errors.sort()),
        wrong.map(([, errors]) => errors),
      )
      assert.deepEqual(await names(stage), ['One'])
    })

    test('a whole number that JSON has no exact number for is refused by name, and nothing is created', async () => {
      const accounts = adsSeed.accounts!.map((account) => ({ ...account, features: ['REACH_FREQUENCY_CAP'] }))
      await using stage = await setStage({ flavour, seed: { ...adsSeed, accounts } as typeof adsSeed })
      const [{ id: campaign_id }] = dataOf(await sendBody(stage, batchOf(CAMPAIGNS), [campaign('One')]))
      const place = { campaign_id, ...lineItem, duration_in_days: 7 }
      for (const digits of ['1e30', '100000000000000000000', '9007199254740992']) {
        const body = JSON.stringify([operation('Create', { ...place, frequency_cap: 0 })])
        const refused = await sendBody(stage, batchOf(LINE_ITEMS), body.replace('"frequency_cap":0', `"frequency_cap":${digits}`))
        assert.equal(refused.status, 400, refused.text)
        const message = `Expected a value at most 9007199254740991, got "${Number(digits)}" for frequency_cap`
        assert.deepEqual(refused.body.operation_errors, [[{ code: 'INVALID_PARAMETER', message, parameter: 'frequency_cap' }]])
      }
      const ads = adsCaller(stage)
      for (const sent of ['9007199254740992', '1e30'])
        assert.deepEqual(mistakesOf(await ads('POST', LINE_ITEMS, { ...place, placements: 'ALL_ON_TWITTER', frequency_cap: sent })), [
          400,
          'INVALID_PARAMETER frequency_cap',
        ])
      assert.deepEqual(dataOf(await ads('GET', LINE_ITEMS)), [])
    })

    test('values may be JSON or text, and what may be unset is unset by null or an empty text', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const [{ id }] = dataOf(
        await sendBody(stage, batchOf(CAMPAIGNS), [
          campaign('One', {
            daily_budget_amount_local_micro: '9007199254740993',
            standard_delivery: 'false',
            budget_optimization: 'CAMPAIGN',
          }),
        ]),
      )
      const long = await sendBody(
        stage,
        batchOf(CAMPAIGNS),
        `[{"operation_type":"Update","params":{"campaign_id":"${id}","total_budget_amount_local_micro":9007199254740995}}]`,
      )
      assert.match(
        long.text,
        /"total_budget_amount_local_micro":9007199254740995,.*"data".*"daily_budget_amount_local_micro":9007199254740993/,
      )
      assert.equal(dataOf(long)[0].standard_delivery, false)
      const [cleared] = dataOf(
        await sendBody(stage, batchOf(CAMPAIGNS), [
          operation('Update', { campaign_id: id, daily_budget_amount_local_micro: '', end_time: null }),
        ]),
      )
      assert.equal(cleared.daily_budget_amount_local_micro, null)
      const text = operation('Create', { ...lineItem, campaign_id: id, placements: 'TWITTER_TIMELINE, TWITTER_SEARCH' })
      const [made] = dataOf(await sendBody(stage, batchOf(LINE_ITEMS), [text]))
      assert.deepEqual(made.placements.sort(), ['TWITTER_SEARCH', 'TWITTER_TIMELINE'])
    })

    test('line items follow the rules of their campaign, those of the operations before them included', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const [{ id }] = dataOf(await sendBody(stage, batchOf(CAMPAIGNS), [campaign('One')]))
      const create = (more: object = {}) => operation('Create', { ...lineItem, campaign_id: id, ...more })
      const mixed = await sendBody(stage, batchOf(LINE_ITEMS), [
        create(),
        create({ objective: 'WEBSITE_CLICKS' }),
        create({ goal: 'NO_GOAL', objective: 'NONE' }),
      ])
      assert.equal(mixed.status, 400)
      assert.deepEqual(wrongIn(mixed.body), [[], ['INVALID objective'], ['INVALID_PARAMETER goal', 'INVALID_PARAMETER objective']])
      assert.deepEqual(dataOf(await adsCaller(stage)('GET', LINE_ITEMS)), [])

      const made = dataOf(await sendBody(stage, batchOf(LINE_ITEMS), [create({ name: 'a' }), create({ name: 'b' })]))
      assert.deepEqual(
        made.map(({ name, campaign_id, currency }: Record<string, unknown>) => [name, campaign_id, currency]),
        [
          ['a', id, 'USD'],
          ['b', id, 'USD'],
        ],
      )
      const changed = dataOf(
        await sendBody(stage, batchOf(LINE_ITEMS), [
          operation('Update', { line_item_id: made[0].id, name: 'c' }),
          operation('Delete', { line_item_id: made[1].id }),
        ]),
      )
      assert.deepEqual([changed[0].name, changed[1].deleted], ['c', true])
      const again = await sendBody(stage, batchOf(LINE_ITEMS), [operation('Delete', { line_item_id: made[1].id })])
      assert.deepEqual([again.status, wrongIn(again.body)], [400, [['LINE_ITEM_NOT_FOUND']]])
    })

    test('five hundred targeting criteria are one batch, and one more is too many for each kind', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const [{ id: campaign_id }] = dataOf(await sendBody(stage, batchOf(CAMPAIGNS), [campaign('One')]))
      const [{ id }] = dataOf(await sendBody(stage, batchOf(LINE_ITEMS), [operation('Create', { ...lineItem, campaign_id })]))
      const criteria = (count: number) =>
        Array.from({ length: count }, (_, place) =>
          operation('Create', { line_item_id: id, targeting_type: 'BROAD_KEYWORD', targeting_value: `word${place}` }),
        )
      const made = dataOf(await sendBody(stage, batchOf(CRITERIA), criteria(500)))
      assert.deepEqual(
        made.map(({ targeting_value }: { targeting_value: string }) => targeting_value),
        criteria(500).map(({ params }) => (params as { targeting_value: string }).targeting_value),
      )
      const unknown = await sendBody(stage, batchOf(CRITERIA), [
        operation('Delete', { targeting_criterion_id: made[0].id }),
        operation('Update', { targeting_criterion_id: made[1].id }),
      ])
      assert.deepEqual(unknown.body.operation_errors, [
        [],
        [{ code: 'INVALID_PARAMETER', message: 'Expected a value in Create, Delete for operation_type', parameter: 'operation_type' }],
      ])
      for (const [path, max, operations] of [
        [CRITERIA, 500, criteria(501)],
        [CAMPAIGNS, 40, Array.from({ length: 41 }, () => campaign('x'))],
        [LINE_ITEMS, 40, Array.from({ length: 41 }, () => operation('Create', { ...lineItem, campaign_id }))],
      ] as const) {
        const tooMany = await sendBody(stage, batchOf(path), operations)
        assert.equal(tooMany.status, 400)
        assert.deepEqual(tooMany.body, {
          errors: [{ code: 'INVALID_PARAMETER', message: `Expected at most ${max} operations in a request, got ${max + 1}` }],
          request: { params: { account_id: ACCOUNT } },
        })
      }
      assert.equal(dataOf(await adsCaller(stage)('GET', CRITERIA, { line_item_ids: id, count: 1000 })).length, 500)
    })

    test('a batch of five hundred places fits into a body', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const [{ id: campaign_id }] = dataOf(await sendBody(stage, batchOf(CAMPAIGNS), [campaign('One')]))
      const [{ id }] = dataOf(await sendBody(stage, batchOf(LINE_ITEMS), [operation('Create', { ...lineItem, campaign_id })]))
      const places = Array.from({ length: 500 }, (_, place) => (0x5122804691e5fec0n + BigInt(place)).toString(16))
      const operations = places.map((targeting_value) =>
        operation('Create', { line_item_id: id, targeting_type: 'LOCATION', operator_type: 'EQ', targeting_value }),
      )
      const body = JSON.stringify(operations, null, 2)
      assert.ok(body.length > 65_536)
      const made = dataOf(await sendBody(stage, batchOf(CRITERIA), body))
      assert.deepEqual(
        made.map(({ targeting_value }: { targeting_value: string }) => targeting_value),
        places,
      )
    })

    test('a body that is no list of operations, of another type or of a read-only member is refused as a whole', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const path = batchOf(CAMPAIGNS)
      for (const [body, says] of [
        ['', /^Expected a list of operations/],
        ['{}', /^Expected a list of operations/],
        ['[]', /^Expected at least one operation/],
        ['[{', /is not valid JSON/],
        ['[{"operation_type":"Create","operation_type":"Delete"}]', /repeats a member name/],
        ['['.repeat(100), /levels deep/],
      ] as const) {
        const refused = await sendBody(stage, path, body)
        assert.equal(refused.status, 400, body)
        assert.match(refused.body.errors[0].message, says)
      }
      const plain = await sendBody(stage, path, [campaign('x')], { contentType: 'text/plain' })
      assert.deepEqual([plain.status, plain.body.errors[0].code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
      const reader = await sendBody(stage, path, [campaign('x')], { credentials: graces })
      assert.deepEqual([reader.status, reader.body.errors[0].code], [403, 'ACTION_NOT_ALLOWED'])
      const foreign = await sendBody(stage, '/12/batch/accounts/zzz/campaigns', [campaign('x')])
      assert.deepEqual([foreign.status, foreign.body.errors[0].code], [403, 'ACCOUNT_NOT_FOUND'])
      assert.deepEqual(await names(stage), [])
    })

    test('an account in an operation is that of the path, and records of other accounts are unknown', async () => {
      const others = {
        id: 'other1',
        name: 'Other',
        members: adsSeed.accounts![0]!.members,
        funding_instruments: [{ id: 'f1', type: 'CREDIT_CARD' }],
      }
      const seed = {
        ...adsSeed,
        accounts: [...adsSeed.accounts!, { ...others, campaigns: [{ id: 'c1', funding_instrument_id: 'f1', name: 'Theirs' }] }],
      }
      await using stage = await setStage({ flavour, seed: seed as typeof adsSeed })
      const refused = await sendBody(stage, batchOf(CAMPAIGNS), [
        operation('Update', { account_id: 'other1', campaign_id: 'c1', name: 'Mine' }),
      ])
      assert.deepEqual([refused.status, wrongIn(refused.body)], [400, [['CAMPAIGN_NOT_FOUND']]])
      const made = await sendBody(stage, batchOf(CAMPAIGNS), [campaign('x', { account_id: 'other1' })])
      assert.equal(made.body.request[0].params.account_id, ACCOUNT)
      assert.deepEqual(await names(stage), ['x'])
    })

    test('batches at the same time never exceed a limit together, and each is there as a whole or not at all', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      await using beside = await (flavour === 'postgres' ? stage.beside() : undefined)
      const hosts = [stage, beside ?? stage]
      // 200 active campaigns are allowed: five batches of 40 of eight.
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, batch) =>
          sendBody(
            hosts[batch % 2]!,
            batchOf(CAMPAIGNS),
            Array.from({ length: 40 }, (_, place) => campaign(`${batch} ${place}`)),
          ),
        ),
      )
      const taken = answers.flatMap(({ status }, batch) => (status === 200 ? [batch] : []))
      assert.equal(taken.length, 5, answers.map(({ text }) => text.slice(0, 200)).join('\n'))
      const expected = taken.flatMap((batch) => Array.from({ length: 40 }, (_, place) => `${batch} ${place}`))
      assert.deepEqual((await names(stage)).sort(), expected.sort())
      const refused = answers.find(({ status }) => status === 400)!
      assert.deepEqual(new Set(wrongIn(refused.body).flat()), new Set(['TOO_MANY_CAMPAIGNS']))
    })

    test('each change of a batch is in the history of the account', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const [{ id }] = dataOf(await sendBody(stage, batchOf(CAMPAIGNS), [campaign('One')]))
      await sendBody(stage, batchOf(CAMPAIGNS), [
        operation('Update', { campaign_id: id, name: 'Two' }),
        operation('Update', { campaign_id: id, name: 'Three' }),
        operation('Delete', { campaign_id: id }),
      ])
      const hour = (from: number) => new Date((Math.floor(stage.clock.now() / 3_600_000) + from) * 3_600_000).toISOString()
      const history = dataOf(
        await adsCaller(stage)('GET', `/12/accounts/${ACCOUNT}/account_history`, {
          entity_type: 'CAMPAIGN',
          entity_id: id,
          start_time: hour(0),
          end_time: hour(1),
        }),
      )
      assert.deepEqual(history.map(({ change_type }: { change_type: string }) => change_type).sort(), [
        'CREATE',
        'DELETE',
        'UPDATE',
        'UPDATE',
      ])
    })
  })
