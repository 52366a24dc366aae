import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { call } from './call.ts'
import { headerOf, oauthParameters } from './oauth-client.ts'
import { demoApp, type Stage } from './postern.ts'

const tokenOf = (userId: string) => ({
  consumer_key: demoApp.consumer_key,
  user_id: userId,
  oauth_token: `${userId}-token-of-the-tests`,
  oauth_token_secret: 'secret',
})

const photo = (id: string, owner_user_id: string) => ({ media_key: `3_${id}`, type: 'photo', owner_user_id })

/**
 * A world in which an object of each kind has a value for each field. Ada (101) owns them; Grace (102) follows her; Linus (103) is a stranger.
 */
export const fullWorld = {
  apps: [{ ...demoApp, permissions: 'read_write_dm' }],
  tokens: ['101', '102', '103', '104', '105', '107'].map(tokenOf),
  users: [
    {
      id: '101',
      username: 'ada',
      name: 'Ada',
      created_at: '2020-01-02T03:04:05.006Z',
      description: 'On #tides',
      location: 'Turin',
      url: 'https://example.com/ada',
      profile_image_url: 'https://example.com/ada.png',
      profile_banner_url: 'https://example.com/banner.png',
      verified: true,
      verified_type: 'blue',
      pinned_post_id: '2000',
      affiliation: { description: 'Harbour', user_id: ['102'] },
      confirmed_email: 'ada@example.com',
      is_identity_verified: true,
      parody: false,
      subscription_type: 'Premium',
      verified_followers_count: 3,
      withheld: { country_codes: ['DE'] },
    },
    { id: '102', username: 'grace', name: 'Grace' },
    { id: '103', username: 'linus', name: 'Linus' },
    { id: '104', username: 'shy', name: 'Shy', protected: true },
    { id: '105', username: 'fan', name: 'Fan' },
    { id: '106', username: 'gone', name: 'Gone', disabled: true },
    { id: '107', username: 'cross', name: 'Cross' },
  ],
  topics: [{ id: '7', name: 'Tides', description: 'About tides' }],
  places: [
    {
      id: 'harbour',
      full_name: 'The harbour, Turin',
      name: 'Harbour',
      country: 'Italy',
      country_code: 'IT',
      place_type: 'poi',
      geo: { type: 'Feature' },
      contained_within: ['turin'],
    },
  ],
  media: [
    {
      media_key: '3_900',
      type: 'video',
      owner_user_id: '101',
      alt_text: 'A pier',
      duration_ms: 1500,
      height: 600,
      width: 800,
      url: 'https://example.com/1.mp4',
      preview_image_url: 'https://example.com/1.png',
      public_metrics: { view_count: 9 },
      variants: [{ bit_rate: 1, content_type: 'video/mp4', url: 'https://example.com/1.mp4' }],
    },
    // Media of each of the posts that not everybody sees, of a conversation, and of nothing.
    ...[photo('4000', '104'), photo('5000', '106'), photo('6000', '107'), photo('7000', '101'), photo('7001', '101')],
    ...[photo('9501', '101'), photo('9502', '101')],
  ],
  direct_messages: [
    {
      id: '95000000000000000',
      dm_conversation_id: '101-102',
      sender_id: '101',
      attachments: { media_keys: ['3_9501'] },
      created_at: new Date().toISOString(),
    },
  ],
  posts: [
    { id: '1000', author_id: '102', text: 'Which tide?', created_at: '2026-01-01T00:00:00.000Z' },
    {
      id: '2000',
      author_id: '101',
      text: '@grace look at the #tide',
      created_at: '2026-01-02T00:00:00.000Z',
      lang: 'en',
      source: 'Postern',
      attachments: { media_keys: ['3_900'] },
      geo: { place_id: 'harbour' },
      possibly_sensitive: true,
      withheld: { copyright: false, country_codes: ['DE'] },
      reply_settings: 'following',
      card_uri: 'card://1',
      referenced_posts: [{ type: 'replied_to', id: '1000' }],
      community_id: '55',
      public_metrics: { repost_count: 1, reply_count: 2, like_count: 3, quote_count: 4, bookmark_count: 5, impression_count: 6 },
      non_public_metrics: { impression_count: 6, url_link_clicks: 7, user_profile_clicks: 8 },
    },
    {
      id: '3000',
      author_id: '101',
      text: 'Spring or neap?',
      created_at: '2026-01-03T00:00:00.000Z',
      poll: { options: [{ label: 'Spring', votes: 3 }, { label: 'Neap' }], duration_minutes: 60 },
    },
    {
      id: '4000',
      author_id: '104',
      text: 'For followers',
      created_at: '2026-01-04T00:00:00.000Z',
      attachments: { media_keys: ['3_4000'] },
    },
    {
      id: '5000',
      author_id: '106',
      text: 'By a suspended user',
      created_at: '2026-01-05T00:00:00.000Z',
      attachments: { media_keys: ['3_5000'] },
    },
    {
      id: '6000',
      author_id: '107',
      text: 'By one who blocks Linus',
      created_at: '2026-01-06T00:00:00.000Z',
      attachments: { media_keys: ['3_6000'] },
    },
    {
      id: '7000',
      author_id: '101',
      text: 'Withheld',
      created_at: '2026-01-07T00:00:00.000Z',
      attachments: { media_keys: ['3_7000'] },
      restriction: 'unavailable',
    },
    {
      id: '7001',
      author_id: '101',
      text: 'Disallowed',
      created_at: '2026-01-07T00:00:01.000Z',
      attachments: { media_keys: ['3_7001'] },
      restriction: 'disallowed',
    },
    ...['4000', '5000', '6000', '7000', '7001'].map((id) => ({
      id: `8${id}`,
      author_id: '102',
      text: `About ${id}`,
      created_at: '2026-01-08T00:00:00.000Z',
      referenced_posts: [{ type: 'quoted', id }],
    })),
  ],
  follows: [
    { user_id: '102', target_user_id: '101' },
    { user_id: '105', target_user_id: '104' },
  ],
  blocks: [{ user_id: '107', target_user_id: '103' }],
  lists: [
    {
      id: '800',
      owner_id: '101',
      name: 'Sailors',
      description: 'Who sail',
      created_at: '2026-01-01T00:00:00.000Z',
      private: false,
      members: ['102'],
      followers: ['102'],
    },
  ],
  spaces: [
    {
      id: '1live',
      creator_id: '101',
      state: 'ended',
      title: 'Knots',
      topic_ids: ['7'],
      speaker_ids: ['102'],
      host_ids: ['101'],
      invited_user_ids: ['103'],
      lang: 'en',
      is_ticketed: false,
      participant_count: 4,
      subscriber_count: 2,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T03:00:00.000Z',
      started_at: '2026-01-01T01:00:00.000Z',
      ended_at: '2026-01-01T02:00:00.000Z',
      scheduled_start: '2026-01-01T00:30:00.000Z',
    },
  ],
} as unknown as SeedDocument

/** Calls as a user of the world; as the app alone without one. */
export async function asUser(stage: Stage, userId: string | undefined, path: string, method = 'GET', json?: unknown) {
  const url = stage.origins.base_url + path
  if (userId === undefined) return stage.api(method, path, { token: await stage.token(), json })
  const { oauth_token, oauth_token_secret } = tokenOf(userId)
  const { consumer_key, consumer_secret } = demoApp
  const keys = { consumer_key, consumer_secret, oauth_token, oauth_token_secret }
  return call(url, method, { headers: { authorization: headerOf(oauthParameters({ ...keys, method, url })) }, json })
}
