import { appOrUser } from '../../access/app-or-user.ts'
import { objectId } from '../../api/declare/words.ts'
import { termHash } from '../../lib/post-text/term-hash.ts'
import { listOfUser } from '../objects/not-found.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { pageOfPostsBy, postPageParams, postPageRules } from '../objects/pages.ts'
import { postKinds, READS_POSTS } from './post-kinds.ts'
import { findByTerms, NULLCAST_HASH, REPOST_HASH } from './search.ts'

export const listMentions = objectEndpoint(postKinds, {
  name: 'listMentions',
  route: 'GET /2/users/:id/mentions',
  section: '§2.9',
  summary: 'List the posts that mention a user, newest first.',
  description: 'Reposts are left out: their text names the author of the original, whom nobody mentioned.',
  auth: appOrUser,
  scopes: READS_POSTS,
  rateLimit: 450,
  rules: postPageRules,
  isList: true,
  isPaged: true,
  params: { id: objectId({ example: '101', description: 'The id of the user.' }), ...postPageParams({ min: 5, max: 100, usual: 10 }) },
  asked({ params, caller }, { content }) {
    const mentioned = { all: [String(termHash(`mention:${params.id}`))], none: [NULLCAST_HASH, REPOST_HASH] }
    const sent = { ...params, seenBy: { viewerId: viewerOf(caller) } }
    return listOfUser(
      content,
      params.id,
      pageOfPostsBy((page) => findByTerms(content, [mentioned], page), `mentions-${params.id}`, sent),
    )
  },
})
