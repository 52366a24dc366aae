import { accountMember } from '../../src/access/account-member.ts'
import { adsId, long } from '../../src/api/declare/ads-words.ts'
import { boolean, integer, matching, nullable, oneOf, text } from '../../src/api/declare/words.ts'
import { listEndpoint } from '../../src/api/records/list-endpoint.ts'
import { deleteEndpoint, getEndpoint } from '../../src/api/records/record-endpoints.ts'
import { resource } from '../../src/api/records/resource.ts'
import type { Parts } from '../../src/assemble/parts.ts'
import { Campaign } from '../../src/endpoints/ads/resources/campaign.ts'
import { listed } from './listed.ts'

/** A resource that only tests have: its key is the client's, it has a parent, several filters, and a search over four fields. */
export const Clip = resource({
  title: 'Clip',
  name: 'clips',
  notFound: 'PROMOTED_TWEET_NOT_FOUND',
  key: { media_key: matching('^\\d{1,3}_\\d{1,19}$', { example: '3_1997712707928100864' }) },
  history: 'CLIP',
  childOf: { parent: Campaign, by: 'campaign_id' },
  inherits: ['currency'],
  filters: {
    media_keys: { anyOf: 'media_key' },
    campaign_ids: { anyOf: 'campaign_id' },
    media_types: { anyOf: 'media_type' },
    media_type: { equals: 'media_type' },
    tweeted: { equals: 'tweeted' },
    size: { equals: 'size' },
  },
  search: { termsOf: ['name', 'title', 'description', 'file_name'], max: 255 },
  sortable: ['duration'],
  defaults: { tweeted: false, size: 0 },
  seedRules: [
    { field: 'duration', message: 'is not the duration of a clip', holds: ({ duration }) => duration !== 7 },
    { field: 'id', message: 'is that of another clip', holds: async ({ id }, count) => id === null || (await count({ id })) === 0 },
  ],
  fields: {
    id: nullable(text({ max: 20 })),
    campaign_id: adsId(),
    currency: Campaign.fields.currency,
    name: nullable(text({ max: 100 })),
    title: nullable(text({ max: 70 })),
    description: nullable(text({ max: 200 })),
    file_name: text({ max: 255 }),
    media_type: oneOf(['GIF', 'IMAGE', 'VIDEO']),
    duration: nullable(integer({ min: 0 })),
    size: long(),
    tweeted: boolean(),
  },
})

const described = { section: '§4.7', auth: accountMember() }

export const listClips = listEndpoint(Clip, {
  ...described,
  name: 'listClips',
  route: 'GET /12/accounts/:account_id/clips',
  summary: 'List the clips of an account.',
  params: { account_id: adsId() },
  page: { default: 20, max: 1000 },
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
})

export const getClip = getEndpoint(Clip, {
  ...described,
  name: 'getClip',
  route: 'GET /12/accounts/:account_id/clips/:media_key',
  summary: 'Get a clip.',
})

export const deleteClip = deleteEndpoint(Clip, {
  ...described,
  name: 'deleteClip',
  route: 'DELETE /12/accounts/:account_id/clips/:media_key',
  summary: 'Delete a clip.',
  auth: accountMember({ changes: 'creatives' }),
})

/** For `setStage({ more: clips })`. */
export const clips: NonNullable<Parts['more']> = { resources: [Clip], endpoints: [listed(listClips), listed(getClip), listed(deleteClip)] }
