import { type Consent, type EventType, eventFamily } from './event-type.ts'

const READS_POSTS: Consent = { access: 'read', scopes: ['post.read'] }

type Routes = NonNullable<EventType['madeBy']>

const NEW_POSTS: Routes = ['POST /2/posts', 'POST /12/accounts/:account_id/post', 'POST /12/accounts/:account_id/scheduled_posts']
const REPOST: Routes = ['POST /2/users/:id/reposts']

/** What others did with a post of the subject. */
const toSubject = (summary: string, subject: string, madeBy: Routes): EventType => ({
  summary,
  subject,
  madeBy,
  filter: ['userId', 'keyword'],
  consent: READS_POSTS,
})

/** Posts, and what refers to them. */
export const postEvents = eventFamily({
  'post.create': {
    summary: 'A user made a post.',
    subject: 'the author of the post',
    filter: ['userId', 'keyword'],
    consent: null,
    madeBy: [...NEW_POSTS, ...REPOST],
  },
  'post.delete': {
    summary: 'A user deleted a post.',
    subject: 'the author of the post',
    filter: ['userId'],
    consent: null,
    madeBy: ['DELETE /2/posts/:id', 'DELETE /2/users/:id/reposts/:source_post_id'],
  },
  'post.mention.create': toSubject('A post mentions a user.', 'the user who is mentioned', NEW_POSTS),
  'post.reply.create': toSubject('A post replies to one of a user.', 'the user who is replied to', ['POST /2/posts']),
  'post.quote.create': toSubject('A post quotes one of a user.', 'the author of the post that is quoted', ['POST /2/posts']),
  'post.repost.create': toSubject('A post of a user was reposted.', 'the author of the post that is reposted', REPOST),
})
