import { READS_POSTS } from '../posts/post-kinds.ts'
import { relationEndpoints } from './relation-endpoints.ts'
import { aPost } from './relation-target.ts'

export const {
  create: bookmarkPost,
  remove: removeBookmark,
  list: listBookmarks,
} = relationEndpoints({
  relation: 'bookmark',
  target: aPost,
  verb: 'bookmark',
  done: 'bookmarked',
  path: 'bookmarks',
  isPrivate: true,
  scopes: { write: ['bookmark.write', ...READS_POSTS], read: ['bookmark.read', ...READS_POSTS] },
  create: { name: 'bookmarkPost', summary: 'Bookmark a post.' },
  remove: { name: 'removeBookmark', summary: 'Remove the bookmark of a post.' },
  list: {
    name: 'listBookmarks',
    rateLimit: 180,
    page: { max: 100 },
    summary: 'List the bookmarks of the authenticated user, the latest first.',
  },
})
