import { after, before, suite } from 'node:test'
import { adsEndpoints } from '../../scripts/all-endpoints.ts'
import type { ListEndpoint } from '../../src/api/records/list-endpoint.ts'
import { cases } from '../stage/cases.ts'
import { databasesOf } from '../stage/databases.ts'
import { testList } from '../stage/list-suite.ts'
import { listSeed } from '../stage/list-views.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const lists = adsEndpoints.filter((endpoint) => 'lists' in endpoint) as ListEndpoint[]

/** Lists with many records; the others have a twentieth of them. */
const LONG = new Set(['listCampaigns', 'listAccounts'])
const MANY = cases(1_000, 10_000)

for (const flavour of databasesOf(import.meta))
  suite(`lists of the advertising API on ${flavour}`, () => {
    let stage: Stage
    before(async () => {
      stage = await setStage({ flavour, seed: listSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
    })
    after(() => stage[Symbol.asyncDispose]())

    for (const [place, list] of lists.entries())
      suite(list.name, () => {
        const other = lists[place === 0 ? 1 : 0]!
        testList(list, { stage: () => stage, other, many: LONG.has(list.name) ? MANY : MANY / 20 })
      })
  })
