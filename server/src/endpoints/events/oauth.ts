import { iso, moment, object, objectId, text } from '../../api/declare/words.ts'
import { payloadsOf } from './event-payload.ts'

const dateTime = moment('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)$', {
  example: '2026-03-01T12:00:00.000Z',
  mustBe: 'a time in ISO 8601',
})

/** Authorizations of apps (§6.8). */
export const oauthPayloads = payloadsOf({
  'oauth.revoke': {
    payload: object({ date_time: dateTime, user_id: objectId({ example: '101' }), app_id: text({ example: '1' }) }),
    subject: 'source',
    sourceAt: 'payload.user_id',
    example: ({ source, atMs }) => ({ payload: { date_time: iso(atMs), user_id: source.id, app_id: '1' } }),
  },
})
