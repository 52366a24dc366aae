import { READS_POSTS } from '../posts/post-kinds.ts'
import { relationEndpoints, relationSources } from './relation-endpoints.ts'
import { aPost } from './relation-target.ts'

const reads = ['like.read', ...READS_POSTS]

export const {
  create: likePost,
  remove: unlikePost,
  list: listLikedPosts,
} = relationEndpoints({
  relation: 'like',
  target: aPost,
  verb: 'like',
  done: 'liked',
  path: 'likes',
  scopes: { write: ['like.write', ...READS_POSTS], read: reads },
  create: { name: 'likePost', summary: 'Like a post.' },
  remove: { name: 'unlikePost', summary: 'Undo the like of a post.' },
  list: {
    name: 'listLikedPosts',
    path: 'liked_posts',
    rateLimit: 75,
    page: { min: 5, max: 100 },
    summary: 'List the posts that a user likes, the latest like first.',
  },
})

export const listLikingUsers = relationSources('like', aPost, {
  name: 'listLikingUsers',
  route: 'GET /2/posts/:id/liking_users',
  scopes: reads,
  rateLimit: 75,
  page: { max: 100 },
  summary: 'List the users who like a post, the latest like first.',
})

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
