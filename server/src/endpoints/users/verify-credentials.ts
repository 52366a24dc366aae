import { signedUser } from '../../access/signed-user.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, object, text } from '../../api/declare/words.ts'
import { exactNumber } from '../../lib/numbers.ts'

/** A moment as `/1.1/` writes it: `Wed Aug 27 13:08:45 +0000 2008`. */
function oldMoment(ms: number): string {
  const [weekday, day, month, year, time] = new Date(ms).toUTCString().replace(',', '').split(' ')
  return `${weekday} ${month} ${day} ${time} +0000 ${year}`
}

export const verifyCredentials = endpoint({
  name: 'verifyCredentials',
  route: 'GET /1.1/account/verify_credentials',
  section: '§5.2',
  summary: 'Get the authenticated user (v1.1 form).',
  description: '`id` is a number of up to 19 digits, which loses precision in many JSON parsers; `id_str` is exact.',
  auth: signedUser,
  rateLimit: 75,
  params: {},
  answer: object({ id: integer(), id_str: text(), name: text(), screen_name: text(), created_at: text() }),
  async handle({ caller: { user } }) {
    const { id, name, username, createdAtMs } = user
    return { id: exactNumber(id), id_str: id, name, screen_name: username, created_at: oldMoment(createdAtMs) }
  },
})
