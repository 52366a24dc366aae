import { boolean, integer, listOf, nullable, oneOf, text } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import type { RecordOf } from '../../../api/records/resource-declaration.ts'
import { regularEndpoints } from '../regular-endpoints.ts'
import { audienceState, reasonsNotTargetable, sizesOf } from './audience-state.ts'

const fields = {
  name: text({ max: 255 }),
  description: nullable(text({ max: 255 })),
}

export type DoNotReachListRecord = RecordOf<typeof fields>

/** The users whom no advertisement of an account reaches (§2.6). An account has one list. */
export const DoNotReachList = resource({
  title: 'Do not reach list',
  name: 'do_not_reach_lists',
  notFound: 'NOT_FOUND',
  defaults: { name: 'Do Not Reach List' },
  seedRules: [
    {
      field: 'name',
      message: 'is of a second list; an account has one',
      holds: async ({ deleted }, count) => deleted || (await count({})) === 0,
    },
  ],
  fields,
  derived: { list_size: nullable(integer()), targetable: boolean(), reasons_not_targetable: listOf(oneOf(reasonsNotTargetable)) },
  load: (records, _accountId, services): Promise<ReadonlyMap<string, number>> =>
    sizesOf(
      'do_not_reach_lists',
      records.map(({ id }) => id),
      services,
    ),
  derive({ deleted }, _nowMs, _parent, loaded?: number) {
    const { size, ...state } = audienceState(loaded, deleted)
    return { list_size: size, ...state }
  },
})

export const { listDoNotReachLists, getDoNotReachList } = regularEndpoints(DoNotReachList, {
  route: '/12/accounts/:account_id/do_not_reach_lists',
  section: '§4.6',
  changes: 'audiences',
})
