import { signedUserWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { coded, invalidRequest } from '../../api/declare/problem.ts'
import { nullable, object, optional, text } from '../../api/declare/words.ts'
import { type ChangeServices, changeProfile } from './change-profile.ts'
import { v1UserMembers, v1UserOf } from './v1-user.ts'

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
