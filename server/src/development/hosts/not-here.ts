import { createRouteFinder } from '../../api/http/route.ts'

/** Endpoints of the API of X that Postern does not have, and what to use instead. */
export interface NotHere {
  /** In the names of X, with placeholders. */
  paths: readonly `/${string}`[]
  what: string
  /** A sentence. */
  instead: string
}

const LOOKUPS = 'Use the endpoints of v2, which twitter-api-v2 has as `client.v2` and tweepy as `Client`.'
const NOTHING = 'Postern has nothing like it.'

/** By what they are about; public practice of November 2026. */
export const notHere: readonly NotHere[] = [
  {
    what: 'Posts of v1.1',
    paths: [
      '/1.1/statuses/update.json',
      '/1.1/statuses/update_with_media.json',
      '/1.1/statuses/destroy/:id',
      '/1.1/statuses/show.json',
      '/1.1/statuses/show/:id',
      '/1.1/statuses/lookup.json',
      '/1.1/statuses/retweet/:id',
      '/1.1/statuses/unretweet/:id',
      '/1.1/statuses/retweets/:id',
      '/1.1/statuses/retweeters/ids.json',
      '/1.1/statuses/retweets_of_me.json',
      '/1.1/statuses/oembed.json',
    ],
    instead: '`POST /2/tweets`, `DELETE /2/tweets/:id`, `GET /2/tweets` and `POST /2/users/:id/retweets` do the same.',
  },
  {
    what: 'Timelines of v1.1',
    paths: ['/1.1/statuses/home_timeline.json', '/1.1/statuses/user_timeline.json', '/1.1/statuses/mentions_timeline.json'],
    instead: '`GET /2/users/:id/timelines/reverse_chronological`, `/2/users/:id/tweets` and `/2/users/:id/mentions` do the same.',
  },
  { what: 'Search of v1.1', paths: ['/1.1/search/tweets.json'], instead: 'Use `GET /2/tweets/search/recent`, or `/2/tweets/search/all`.' },
  {
    what: 'Likes of v1.1',
    paths: ['/1.1/favorites/create.json', '/1.1/favorites/destroy.json', '/1.1/favorites/list.json'],
    instead: 'Use `POST` and `DELETE` of `/2/users/:id/likes`, and `GET /2/users/:id/liked_tweets`.',
  },
  {
    what: 'Users and follows of v1.1',
    paths: [
      '/1.1/users/show.json',
      '/1.1/users/lookup.json',
      '/1.1/users/search.json',
      '/1.1/followers/ids.json',
      '/1.1/followers/list.json',
      '/1.1/friends/ids.json',
      '/1.1/friends/list.json',
      '/1.1/friendships/create.json',
      '/1.1/friendships/destroy.json',
      '/1.1/friendships/show.json',
      '/1.1/friendships/lookup.json',
      '/1.1/blocks/create.json',
      '/1.1/blocks/destroy.json',
      '/1.1/blocks/list.json',
      '/1.1/blocks/ids.json',
      '/1.1/mutes/users/create.json',
      '/1.1/mutes/users/destroy.json',
      '/1.1/mutes/users/list.json',
      '/1.1/mutes/users/ids.json',
    ],
    instead: LOOKUPS,
  },
  {
    what: 'Account settings of v1.1',
    paths: [
      '/1.1/account/settings.json',
      '/1.1/account/update_profile_image.json',
      '/1.1/account/update_profile_banner.json',
      '/1.1/account/remove_profile_banner.json',
    ],
    instead: 'Use `/1.1/account/update_profile.json` for name, description, location and URL; a seed has pictures.',
  },
  {
    what: 'Direct messages of v1.1',
    paths: ['/1.1/direct_messages/events/new.json', '/1.1/direct_messages/events/list.json', '/1.1/direct_messages/events/show.json'],
    instead: 'Use `POST /2/dm_conversations/with/:participant_id/messages` and `GET /2/dm_events`.',
  },
  {
    what: 'Lists of v1.1',
    paths: [
      '/1.1/lists/create.json',
      '/1.1/lists/destroy.json',
      '/1.1/lists/update.json',
      '/1.1/lists/show.json',
      '/1.1/lists/list.json',
      '/1.1/lists/statuses.json',
      '/1.1/lists/members.json',
      '/1.1/lists/members/create.json',
      '/1.1/lists/members/destroy.json',
      '/1.1/lists/memberships.json',
      '/1.1/lists/ownerships.json',
      '/1.1/lists/subscribers.json',
      '/1.1/lists/subscriptions.json',
    ],
    instead: 'Use `/2/lists` and `/2/users/:id/owned_lists`.',
  },
  {
    what: 'Trends, places, help and limits of v1.1',
    paths: [
      '/1.1/trends/place.json',
      '/1.1/trends/available.json',
      '/1.1/trends/closest.json',
      '/1.1/geo/search.json',
      '/1.1/geo/reverse_geocode.json',
      '/1.1/geo/id/:place_id',
      '/1.1/help/languages.json',
      '/1.1/application/rate_limit_status.json',
      '/1.1/saved_searches/list.json',
      '/1.1/saved_searches/create.json',
    ],
    instead: 'Postern has nothing like it. Limits stand in the headers `x-rate-limit-…` of every answer.',
  },
  {
    what: 'Webhooks of the Account Activity API of v1.1',
    paths: [
      '/1.1/account_activity/all/webhooks.json',
      '/1.1/account_activity/all/:env_name/webhooks.json',
      '/1.1/account_activity/all/:env_name/webhooks/:webhook_id',
      '/1.1/account_activity/all/:env_name/subscriptions.json',
      '/2/account_activity/webhooks/:webhook_id/subscriptions/all',
      '/2/account_activity/webhooks/:webhook_id/subscriptions/all/list',
      '/2/account_activity/subscriptions/count',
    ],
    instead: 'Register with `POST /2/webhooks`, and subscribe with `POST /2/activity/subscriptions`.',
  },
  {
    what: 'Filtered and sampled streams',
    paths: [
      '/1.1/statuses/filter.json',
      '/1.1/statuses/sample.json',
      '/2/tweets/search/stream',
      '/2/tweets/search/stream/rules',
      '/2/tweets/search/stream/rules/counts',
      '/2/tweets/search/webhooks',
      '/2/tweets/sample/stream',
      '/2/tweets/sample10/stream',
      '/2/tweets/firehose/stream',
    ],
    instead: 'Subscribe to `post.create` with a keyword or a user, and read it from `GET /2/activity/stream` or a webhook.',
  },
  {
    what: 'Compliance',
    paths: [
      '/2/compliance/jobs',
      '/2/compliance/jobs/:id',
      '/2/tweets/compliance/stream',
      '/2/users/compliance/stream',
      '/2/likes/compliance/stream',
    ],
    instead: 'Subscribe to `post.delete`: it says what is gone.',
  },
  {
    what: 'Metrics and usage',
    paths: ['/2/usage/tweets', '/2/insights/28hr', '/2/insights/historical'],
    instead: '`tweet.fields=public_metrics` counts; of an own post `non_public_metrics` too.',
  },
  {
    what: 'Discovery',
    paths: ['/2/trends/by/woeid/:woeid', '/2/communities/:id', '/2/communities/search', '/2/news/search', '/2/news/:id'],
    instead: 'Postern has nothing like it; `GET /2/tweets/search/recent` finds posts, `GET /2/users/by` users by their names.',
  },
  {
    what: 'Community notes',
    paths: ['/2/notes', '/2/notes/search/notes_written', '/2/notes/search/posts_eligible_for_notes', '/2/evaluate_note'],
    instead: NOTHING,
  },
  {
    what: 'Subtitles',
    paths: ['/1.1/media/subtitles/create.json', '/1.1/media/subtitles/delete.json'],
    instead: NOTHING,
  },
  {
    what: 'Encrypted chat',
    paths: ['/2/chat/conversations', '/2/chat/conversations/:id'],
    instead: 'The events `chat.*` can be published; conversations are `/2/dm_conversations`.',
  },
]

/** Finds what an unknown path of X is about. */
export function createNotHere(): (path: string) => NotHere | undefined {
  const byRoute = new Map(notHere.flatMap((entry) => entry.paths.map((path) => [path as string, entry] as const)))
  const routes = [...byRoute.keys()].map((path) => ({
    path,
    methods: [],
    bodyLimitBytes: 0,
    respond: () => Promise.reject(new Error(path)),
  }))
  const find = createRouteFinder(routes)
  return (path) => {
    const found = find(path) ?? find(`${path}.json`)
    return found && byRoute.get(found.route.path)
  }
}
