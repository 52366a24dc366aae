import { adsId } from '../../../api/declare/ads-words.ts'
import { boolean, integer, listOf, nullable, oneOf, text } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import type { RecordOf } from '../../../api/records/resource-declaration.ts'
import { keyOf, NEWEST_FIRST, type Records } from '../../../storage/records.ts'
import { audienceState, reasonsNotTargetable, sizesOf } from './audience-state.ts'

const audienceTypes = ['CRM', 'FLEXIBLE', 'MOBILE_AUDIENCE', 'WEB'] as const

export const permissionLevels = ['READ_ONLY', 'READ_WRITE'] as const

export type PermissionLevel = (typeof permissionLevels)[number]

const fields = {
  name: text({ max: 255, example: 'Customers' }),
  description: nullable(text({ max: 255 })),
  audience_type: oneOf(audienceTypes),
  partner_source: text({ max: 50 }),
}

const internal = { account_id: adsId() }

/** What is known of an audience besides its record. */
interface Loaded {
  size: number | undefined
  isOwner: boolean
  level: PermissionLevel
}

export type CustomAudienceRecord = RecordOf<typeof fields & typeof internal>

/** What an account may do with audiences of others. */
async function levelsFor(accountId: string, ids: readonly string[], services: object): Promise<Map<string, PermissionLevel>> {
  if (ids.length === 0) return new Map()
  const { records } = services as { records: Pick<Records, 'list'> }
  const query = { scope: { granted_account_id: accountId }, sort: [NEWEST_FIRST], withDeleted: false, limit: ids.length }
  const granted = await records.list(TailoredAudiencePermission, { ...query, filters: [{ field: 'tailored_audience_id', anyOf: ids }] })
  return new Map(granted.map(({ tailored_audience_id, permission_level }) => [tailored_audience_id, permission_level]))
}

/** A list of users who can be targeted: a tailored audience, by its former name (public practice). */
export const CustomAudience = resource({
  title: 'Custom audience',
  name: 'custom_audiences',
  notFound: 'TAILORED_AUDIENCE_NOT_FOUND',
  sortable: ['name'],
  filters: { custom_audience_ids: { anyOf: 'id' } },
  search: { prefixOf: 'name', max: 255 },
  seedDefaults: { name: 'Custom audience' },
  defaults: { audience_type: 'CRM', partner_source: 'OTHER' },
  seedRules: [
    {
      field: 'name',
      message: 'is the name of another audience of the account',
      holds: async ({ name, deleted }, count) => deleted || (await count({ name })) === 0,
    },
  ],
  fields,
  internal,
  derived: {
    audience_size: nullable(integer()),
    targetable: boolean(),
    targetable_types: listOf(text()),
    reasons_not_targetable: listOf(oneOf(reasonsNotTargetable)),
    is_owner: boolean(),
    owner_account_id: adsId(),
    permission_level: oneOf(permissionLevels),
  },
  async load(records, accountId, services): Promise<ReadonlyMap<string, Loaded>> {
    const sizes = await sizesOf(
      'custom_audiences',
      records.map(({ id }) => id),
      services,
    )
    const others = records.filter(({ account_id }) => account_id !== accountId).map(({ id }) => id)
    const levels = await levelsFor(accountId, others, services)
    const loadedOf = ({ id, account_id }: CustomAudienceRecord): Loaded => ({
      size: sizes.get(id),
      isOwner: account_id === accountId,
      level: account_id === accountId ? 'READ_WRITE' : (levels.get(id) ?? 'READ_ONLY'),
    })
    return new Map(records.map((record) => [keyOf(CustomAudience, record), loadedOf(record)]))
  },
  derive({ audience_type, account_id, deleted }, _nowMs, _parent, loaded?: Loaded) {
    const { size, ...state } = audienceState(loaded?.size, deleted)
    return {
      audience_size: size,
      ...state,
      targetable_types: [audience_type, `EXCLUDED_${audience_type}`],
      is_owner: loaded?.isOwner ?? true,
      owner_account_id: account_id,
      permission_level: loaded?.level ?? 'READ_WRITE',
    }
  },
})

/** What lists of permissions are read by besides the account that granted them. */
const permissionIndexes = [
  ['tailored_audience_id', 'granted_account_id'],
  ['granted_account_id', 'tailored_audience_id'],
]

/** The permission of another account to use an audience (§2.6). */
export const TailoredAudiencePermission = resource({
  title: 'Tailored audience permission',
  name: 'tailored_audience_permissions',
  notFound: 'NOT_FOUND',
  childOf: { parent: CustomAudience, by: 'tailored_audience_id' },
  filters: { granted_account_ids: { anyOf: 'granted_account_id' }, tailored_audience_permission_ids: { anyOf: 'id' } },
  indexes: permissionIndexes,
  fields: {
    tailored_audience_id: adsId(),
    granted_account_id: adsId({ example: '18ce54d4x5t' }),
    permission_level: oneOf(permissionLevels, { example: 'READ_ONLY' }),
  },
  internal,
})

export type PermissionRecord = RecordOf<typeof TailoredAudiencePermission.fields & typeof internal>

/** The same permission under the names of `/12/`: same table, other names of the audience and of the filter by id. */
export const CustomAudiencePermission = resource({
  title: 'Custom audience permission',
  name: 'tailored_audience_permissions',
  notFound: 'NOT_FOUND',
  childOf: { parent: CustomAudience, by: 'tailored_audience_id' as never },
  filters: { granted_account_ids: { anyOf: 'granted_account_id' }, custom_audience_permission_ids: { anyOf: 'id' } },
  indexes: permissionIndexes,
  fields: {
    granted_account_id: adsId({ example: '18ce54d4x5t' }),
    permission_level: oneOf(permissionLevels, { example: 'READ_ONLY' }),
  },
  internal: { tailored_audience_id: adsId(), ...internal },
  derived: { custom_audience_id: adsId() },
  derivedFrom: ['tailored_audience_id'],
  derive: ({ tailored_audience_id }) => ({ custom_audience_id: tailored_audience_id }),
})
