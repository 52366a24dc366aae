import { signedUser } from '../../access/signed-user.ts'
import { signedUserWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { coded, invalidRequest } from '../../api/declare/problem.ts'
import { listOf, nullable, object, objectId, optional, text } from '../../api/declare/words.ts'
import type { Announcement, Outbox, Subject } from '../../delivery/outbox.ts'
import type { Content, ContentTransaction } from '../../storage/content.ts'
import { posts, profiles, userAccounts, users } from '../../storage/content-tables.ts'
import { profileEntities } from './profile-entities.ts'
import { v1UserMembers, v1UserOf, v1UserSchema } from './v1-user.ts'

/** What a user says of itself. */
interface Profile {
  name: string
  description: string
  location: string
  url: string
}

/** The event type of each member. The screen name is what is displayed as the name (§6.8). */
const EVENT_TYPES: Record<keyof Profile, string> = {
  name: 'profile.update.screenname',
  description: 'profile.update.bio',
  location: 'profile.update.geo',
  url: 'profile.update.url',
}

const MEMBERS = Object.keys(EVENT_TYPES) as (keyof Profile)[]

/** What a change of these members may announce. */
const profileSubjects = (userId: string, sent: Partial<Profile>): Subject[] =>
  MEMBERS.filter((member) => sent[member] !== undefined).map((member) => ({ eventType: EVENT_TYPES[member], userId }))

/** One event for each member that differs. */
const profileUpdates = (userId: string, before: Profile, after: Profile): Announcement[] =>
  MEMBERS.filter((member) => before[member] !== after[member]).map((member) => ({
    eventType: EVENT_TYPES[member],
    userId,
    say: async () => ({ payload: { before: before[member], after: after[member] } }),
  }))

interface ChangeServices {
  outbox: Outbox
}

/** Stores the members that differ: the name stands in the account, all others and their entities in the profile. */
async function store(transaction: ContentTransaction, userId: string, before: Profile, after: Profile) {
  const differing = MEMBERS.filter((member) => before[member] !== after[member])
  if (differing.length === 0) return
  if (differing.includes('name')) await transaction.update(userAccounts, userId, { name: after.name })
  const said = Object.fromEntries(differing.filter((member) => member !== 'name').map((member) => [member, after[member]]))
  if (Object.keys(said).length > 0) {
    const entities = profileEntities(after)
    await transaction.update(profiles, userId, { ...said, entities: entities && JSON.stringify(entities) })
  }
  transaction.tellOfUser(userId)
}

/** Changes what a user says of itself; members that are left out stay. The profile after it, or undefined if there is no such user. */
const changeProfile = (userId: string, sent: Partial<Profile>, { outbox }: ChangeServices): Promise<Profile | undefined> =>
  outbox.change(profileSubjects(userId, sent), async (transaction, announce) => {
    const before = (await transaction.get(users, userId, MEMBERS)) as Profile | undefined
    if (!before) return undefined
    const after = { ...before }
    for (const member of MEMBERS) after[member] = sent[member] ?? before[member]
    await store(transaction, userId, before, after)
    await announce(profileUpdates(userId, before, after))
    return after
  })

const WRONG_URL = '`url` must be the address of a page, like https://example.com'

/** The URL of a profile; of a website without a scheme `http` is meant (public practice). Empty for none. Throws 403 code 38 for anything else. */
function profileUrl(sent: string): string {
  if (sent === '') return ''
  const url = /^https?:\/\//i.test(sent) ? sent : `http://${sent}`
  if (!URL.canParse(url) || !/^https?:\/\/[^\s/?#@]+\.[^\s/?#@]+([/?#]\S*)?$/i.test(url))
    throw invalidRequest([{ message: WRONG_URL, parameters: { url: [sent] } }])
  return url
}

export const updateProfile = endpoint({
  name: 'updateProfile',
  route: 'POST /1.1/account/update_profile',
  section: '§2.9',
  summary: 'Change the profile of the authenticated user (v1.1 form).',
  description:
    'What is left out stays; an empty `description`, `location` or `url` is removed. The entities of the profile follow. For each member that changes, a `profile.update.*` event is published.',
  auth: signedUserWith('read_write'),
  rateLimit: 50,
  params: {
    name: optional(text({ max: 50, example: 'Demo' })),
    description: optional(text({ min: 0, max: 160, example: 'Hello' })),
    location: optional(text({ min: 0, max: 30 })),
    url: optional(text({ min: 0, max: 100 })),
  },
  answer: object({ ...v1UserMembers, description: text({ min: 0 }), location: text({ min: 0 }), url: nullable(text()) }),
  async handle({ params: { url, ...changes }, caller: { user } }, services: ChangeServices) {
    const sent = { ...changes, ...(url !== undefined && { url: profileUrl(url) }) }
    const profile = await changeProfile(user.id, sent, services)
    if (!profile) throw coded(89)
    const { name, description, location } = profile
    return { ...v1UserOf({ ...user, name }), description, location, url: profile.url || null }
  },
})

const common = {
  section: '§2.9',
  auth: signedUserWith('read_write'),
  rateLimit: 50,
  params: { id: objectId({ description: 'The id of a post of the authenticated user.' }) },
  answer: object({ pinned_posts: listOf(objectId()) }),
}

export const pinPost = endpoint({
  ...common,
  name: 'pinPost',
  route: 'POST /1.1/account/pin_post',
  summary: 'Pin a post to the profile of the authenticated user, instead of the one that is pinned.',
  description: 'Only an own post that is no repost can be pinned. A pinned post that is deleted is no longer pinned.',
  async handle({ params, caller: { user } }, { content }: { content: Content }) {
    await content.change(async (transaction) => {
      // The author is locked before the post, as where a post is deleted.
      await transaction.get(users, user.id, ['id'])
      const post = await transaction.get(posts, params.id, ['author_id', 'reposted_id'])
      if (!post) throw coded(144)
      if (post.author_id !== user.id || post.reposted_id !== null) throw coded(220)
      await transaction.update(users, user.id, { pinned_post_id: params.id })
    })
    return { pinned_posts: [params.id] }
  },
})

export const unpinPost = endpoint({
  ...common,
  name: 'unpinPost',
  route: 'POST /1.1/account/unpin_post',
  summary: 'Unpin a post from the profile of the authenticated user.',
  async handle({ params, caller: { user } }, { content }: { content: Content }) {
    const left = await content.change(async (transaction) => {
      const profile = await transaction.get(users, user.id, ['pinned_post_id'])
      if (profile?.pinned_post_id !== params.id) return profile?.pinned_post_id as string | null | undefined
      await transaction.update(users, user.id, { pinned_post_id: null })
      return null
    })
    return { pinned_posts: left ? [left] : [] }
  },
})

export const verifyCredentials = endpoint({
  name: 'verifyCredentials',
  route: 'GET /1.1/account/verify_credentials',
  section: '§5.2',
  summary: 'Get the authenticated user (v1.1 form).',
  description: '`id` is a number of up to 19 digits, which loses precision in many JSON parsers; `id_str` is exact.',
  auth: signedUser,
  rateLimit: 75,
  params: {},
  answer: v1UserSchema,
  handle: async ({ caller: { user } }) => v1UserOf(user),
})
