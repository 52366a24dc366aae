import { type Consent, type EventType, eventFamily } from './event-type.ts'

const READS_POSTS: Consent = { access: 'read', scopes: ['post.read'] }

/** What others did with a post of the subject. */
const toSubject = (summary: string, subject: string): EventType => ({
  summary,
  subject,
  filter: ['userId', 'keyword'],
  consent: READS_POSTS,
})

/** Posts, and what refers to them. */
export const postEvents = eventFamily({
  'post.create': { summary: 'A user made a post.', subject: 'the author of the post', filter: ['userId', 'keyword'], consent: null },
  'post.delete': { summary: 'A user deleted a post.', subject: 'the author of the post', filter: ['userId'], consent: null },
  'post.mention.create': toSubject('A post mentions a user.', 'the user who is mentioned'),
  'post.reply.create': toSubject('A post replies to one of a user.', 'the user who is replied to'),
  'post.quote.create': toSubject('A post quotes one of a user.', 'the author of the post that is quoted'),
  'post.repost.create': toSubject('A post of a user was reposted.', 'the author of the post that is reposted'),
})
