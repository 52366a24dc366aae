import { anyUser } from '../../access/any-user.ts'
import { appOrUser } from '../../access/app-or-user.ts'
import { forbidden } from '../../api/declare/problem.ts'
import { commaList, defaulting, integer, matching, objectId, oneOf, text } from '../../api/declare/words.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import { termHash } from '../../lib/post-text/terms.ts'
import { wordsOf } from '../../lib/post-text/words.ts'
import type { Content } from '../../storage/content.ts'
import { spaces } from '../../storage/content-tables.ts'
import { listOfUnknown } from '../objects/not-found.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { pageOfItems, pageOfPostsBy } from '../objects/pages.ts'
import { Space } from '../objects/space.ts'
import { Topic } from '../objects/topic.ts'
import { User } from '../objects/user.ts'
import { postKinds } from '../posts/post-kinds.ts'
import { findByTerms, NULLCAST_HASH } from '../posts/search.ts'
import { userKinds } from '../users/user-kinds.ts'

/** The objects of answers about spaces. */
const spaceKinds = [Space, User, Topic] as const

/** The scopes of a user's token that reads spaces. */
const READS_SPACES = ['post.read', 'space.read', 'users.read'] as const

/** The id of a space (§2.9). */
export const spaceId = () => matching('^[a-zA-Z0-9]{1,13}$', { example: '1zqKVXPQhvZJB', mustBe: 'the id of a space, like 1zqKVXPQhvZJB' })

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

/** How many live and scheduled spaces are searched, the newest: what one search costs is bounded. */
const MOST_SEARCHED = 1000

const tokensOf = (title: string) => wordsOf(title).map(({ text }) => text)

/** The spaces in these states whose titles have all words of the query, newest first. */
async function spacesWith(content: Content, query: string, states: readonly string[]): Promise<string[]> {
  const found = await content.items({ of: 'spaces', states }, { limit: MOST_SEARCHED })
  const keys = found.map(({ key }) => key)
  const rows = await content.rows(spaces, ['id', 'title'], keys)
  const titles = new Map(rows.map(([id, title]) => [id as string, new Set(tokensOf(title as string))]))
  const words = tokensOf(query)
  return words.length === 0 ? [] : keys.filter((key) => words.every((word) => titles.get(key)?.has(word)))
}

export const searchSpaces = objectEndpoint(spaceKinds, {
  name: 'searchSpaces',
  route: 'GET /2/spaces/search',
  section: '§2.9',
  summary: 'Search live and scheduled spaces by the words of their titles, newest first.',
  description: `A space is found whose title has all words of \`query\`, in whichever case. The newest ${MOST_SEARCHED} spaces are searched.`,
  auth: appOrUser,
  scopes: READS_SPACES,
  rateLimit: 300,
  params: {
    query: text({ max: 2048, example: 'astronomy' }),
    state: defaulting(oneOf(['live', 'scheduled', 'all']), 'all'),
    max_results: defaulting(integer({ min: 1, max: 100 }), 100),
  },
  isList: true,
  isPaged: true,
  async asked({ params: { query, state, max_results } }, { content }) {
    const found = await spacesWith(content, query, state === 'all' ? ['live', 'scheduled'] : [state])
    return { values: found.slice(0, max_results), isList: true, meta: ({ length }) => ({ result_count: length }) }
  },
})

/** What posts with a link to a space are found by: the steps of its path. */
const termsOfLink = (id: string) => ['spaces', ...wordsOf(id).map(({ text }) => text)].map((step) => String(termHash(`url:${step}`)))

export const listSpacePosts = objectEndpoint(postKinds, {
  name: 'listSpacePosts',
  route: 'GET /2/spaces/:id/posts',
  section: '§2.9',
  summary: 'List the posts that link to a space, newest first.',
  description:
    'The posts with a URL whose path has the steps `spaces` and the id of the space, such as `https://example.com/i/spaces/1zqKVXPQhvZJB`.',
  auth: appOrUser,
  scopes: READS_SPACES,
  rateLimit: 300,
  isList: true,
  isPaged: true,
  params: { id: spaceId(), ...pageParams({ max: 100 }) },
  async asked({ params, caller }, { content }) {
    const { id } = params
    if ((await content.rows(spaces, ['id'], [id])).length === 0) return listOfUnknown({ object: Space, value: id, parameter: 'id' })
    const sent = { ...params, seenBy: { viewerId: viewerOf(caller) } }
    const linking = { all: termsOfLink(id), none: [NULLCAST_HASH] }
    return pageOfPostsBy((page) => findByTerms(content, [linking], page), `space-posts-${id}`, sent)
  },
})

const NOT_YOURS = 'You are not authorized to see who bought a ticket of this space: you did not create it.'

export const listSpaceBuyers = objectEndpoint(userKinds, {
  name: 'listSpaceBuyers',
  route: 'GET /2/spaces/:id/buyers',
  section: '§2.9',
  summary: 'List the users who bought a ticket of a space of the authenticated user, the latest first.',
  description: 'Tickets are sold by seeds alone: `buyers` of a space.',
  auth: anyUser,
  scopes: READS_SPACES,
  rateLimit: 300,
  isList: true,
  isPaged: true,
  problems: ['forbidden'],
  params: { id: spaceId(), ...pageParams({ max: 100 }) },
  async asked({ params, caller: { user } }, { content }) {
    const { id } = params
    const [space] = await content.rows(spaces, ['creator_id'], [id])
    if (!space) return listOfUnknown({ object: Space, value: id, parameter: 'id' })
    if (space[0] !== user.id) throw forbidden(NOT_YOURS)
    return pageOfItems(content, { of: 'targets', relation: 'space_buyer', source: id }, `space-buyers-${id}`, params)
  },
})
