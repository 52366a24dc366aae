import { object, text } from '../../api/declare/words.ts'
import { type EventPayload, payloadsOf } from './event-payload.ts'

const value = text({ min: 0 })

const change = (before: string, after: string): EventPayload => ({
  payload: object({ before: value, after: value }),
  subject: 'source',
  example: () => ({ payload: { before, after } }),
})

/** Changes of profiles (§6.8). Pictures are given by their URLs. */
export const profilePayloads = payloadsOf({
  'profile.update.bio': change('Keeps tide tables.', 'Keeps the tide tables of Saltmere harbour.'),
  'profile.update.profile_picture': change('https://example.com/avatars/1.png', 'https://example.com/avatars/2.png'),
  'profile.update.banner_picture': change('https://example.com/banners/1.png', 'https://example.com/banners/2.png'),
  'profile.update.screenname': change('Ada', 'Ada of Saltmere'),
  'profile.update.geo': change('', 'Saltmere'),
  'profile.update.url': change('', 'https://example.com/ada'),
  'profile.update.verified': change('none', 'blue'),
  'profile.update.affiliate': change('', 'saltmere_news'),
  'profile.update.handle': change('ada', 'ada_of_saltmere'),
})
