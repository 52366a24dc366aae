import { appOrUser } from '../../access/app-or-user.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import { termHash } from '../../lib/post-text/term-hash.ts'
import { wordsOf } from '../../lib/post-text/words.ts'
import { spaces } from '../../storage/content-tables.ts'
import { listOfUnknown } from '../objects/not-found.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { pageOfPostsBy } from '../objects/pages.ts'
import { Space } from '../objects/space.ts'
import { postKinds } from '../posts/post-kinds.ts'
import { findByTerms, NULLCAST_HASH } from '../posts/search.ts'
import { READS_SPACES, spaceId } from './space-kinds.ts'

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
