import { appOrUser } from '../../access/app-or-user.ts'
import { commaList, objectId } from '../../api/declare/words.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { READS_SPACES, spaceId, spaceKinds } from './space-kinds.ts'

const lookup = { section: '§2.9', auth: appOrUser, scopes: READS_SPACES } as const

export const getSpace = objectEndpoint(spaceKinds, {
  ...lookup,
  name: 'getSpace',
  route: 'GET /2/spaces/:id',
  summary: 'Get a space.',
  rateLimit: 300,
  params: { id: spaceId() },
  asked: ({ params }) => ({ values: [params.id], parameter: 'id', isList: false }),
})

export const listSpaces = objectEndpoint(spaceKinds, {
  ...lookup,
  name: 'listSpaces',
  route: 'GET /2/spaces',
  summary: 'Get up to 100 spaces by their ids.',
  rateLimit: 300,
  params: { ids: commaList(spaceId(), { max: 100, example: ['1zqKVXPQhvZJB'] }) },
  isList: true,
  asked: ({ params }) => ({ values: params.ids, parameter: 'ids', isList: true }),
})

/** More than 100 creators have: each has few that are not over. */
const MOST_SPACES = 1000

export const listSpacesByCreators = objectEndpoint(spaceKinds, {
  ...lookup,
  name: 'listSpacesByCreators',
  route: 'GET /2/spaces/by/creator_ids',
  summary: 'List the live and scheduled spaces of up to 100 users, newest first.',
  rateLimit: 300,
  params: { user_ids: commaList(objectId({ example: '101' }), { max: 100, example: ['101'] }) },
  isList: true,
  isPaged: true,
  async asked({ params: { user_ids } }, { content }) {
    const found = await content.items({ of: 'spaces', creatorIds: user_ids }, { limit: MOST_SPACES })
    return { values: found.map(({ key }) => key), isList: true, meta: ({ length }) => ({ result_count: length }) }
  },
})
