import type { Dialect } from '../../api/declare/dialect.ts'
import type { Endpoint } from '../../api/declare/endpoint.ts'
import type { Group } from '../../api/describe/groups.ts'
import type { Described } from '../../api/openapi.ts'
import { describedEvents } from '../events/described-events.ts'

const user = String.raw`\/2\/users\/:\w+\/`

const account = String.raw`\/12\/(batch\/)?accounts\/:account_id\/`

const group = (name: string, paths: RegExp, says: string): Group => ({ name, paths, says })

/** The groups of endpoints, in the order of the reference. */
export const groups: readonly Group[] = [
  group(
    'Webhooks',
    /^\/2\/(webhooks|account_activity)/,
    'Register the URL where your app receives events, list and check it, and have past events delivered again.',
  ),
  group('Activity', /^\/2\/activity/, 'Choose which events your app gets, and whether at a webhook or as a stream.'),
  group(
    'OAuth 1.0a sign-in',
    /^(\/1\.1)?\/oauth\//,
    'Ask a user for access with OAuth 1.0a: request token, approval page, access token. The access token signs the calls of that user.',
  ),
  group(
    'OAuth 2.0',
    /^(\/2|\/i)?\/oauth2|^\/\.well-known/,
    'The bearer token of an app, and access of users by authorization code with PKCE, with scopes, refresh and revocation.',
  ),
  group(
    'Direct messages',
    /^\/2\/dm_|^\/1\.1\/direct_messages/,
    'Send, read and delete direct messages, and show that a message was read or is being typed.',
  ),
  group(
    'Posts',
    new RegExp(`^\\/2\\/posts|^${user}(posts|mentions|timelines|reposts|liked_posts|likes|bookmarks)`),
    'Write and delete posts, look them up, search and count them, and what users do with them: reposts, likes, bookmarks, timelines.',
  ),
  group(
    'Lists',
    new RegExp(`^\\/2\\/lists|^${user}(\\w+_)?(lists|list_memberships)`),
    'Lists of users: their members, followers and posts.',
  ),
  group('Spaces', /^\/2\/spaces/, 'Live and scheduled spaces.'),
  group('Media', /^\/2\/media|^\/1\.1\/media/, 'Upload images, GIFs and videos whole or in segments, describe them, and look them up.'),
  group('Users', /^\/2\/users|^\/1\.1\/(account|users)/, 'Look users up, change a profile, and who follows, mutes or blocks whom.'),
  group(
    'Product catalogs',
    /^\/12\/product_catalogs/,
    'Advertising: products, sets of them and scheduled feeds. For apps with early access.',
  ),
  group(
    'Audiences',
    new RegExp(`^${account}(custom_audiences|do_not_reach_lists)|^\\/5\\/`),
    'Advertising: custom audiences and their users, who may use them, and the lists of those who must not be reached.',
  ),
  group(
    'Creatives',
    new RegExp(`^${account}(cards|media_library|account_media|posts?|scheduled_posts|promotable_users|account_apps)\\b`),
    'Advertising: the cards, media and posts that campaigns show.',
  ),
  group(
    'Campaigns',
    new RegExp(`^${account}(campaigns|line_items|targeting_criteria|promoted_posts|line_item_curated_categories|curated_categories)`),
    'Advertising: campaigns, their line items, whom these target, and the posts that they promote.',
  ),
  group('Keyword insights', /^\/12\/insights/, 'Advertising: how many posts contain some words.'),
  group('Ads accounts', /^\/12\//, 'Advertising: accounts, who may use them, their funding instruments, features and history.'),
  group(
    'Test tools',
    /^\/operator\/(clock|disorders|faults|inboxes|keys|local-session|requests|reset|settle|snapshots|trigger|worlds)/,
    'In development: move the clock, make faults, receive events in an inbox, read every call, and put everything back.',
  ),
  group(
    'Operator API',
    /^\/operator/,
    'Run Postern: apps, users, seeds, events, deliveries, replays and the audit log. It needs an operator token.',
  ),
]

/** What the description says before everything else, in Markdown. */
const introduction = [
  'Postern is the developer API of a short-post service: webhooks and streams of what users do, sign-in, posts, users, lists, spaces, direct messages, media, and advertising.',
  'Every call needs credentials, but for those that hand them out. Each endpoint names the kinds that it takes; any one of them will do.',
  'Bodies are JSON on paths under `/2/` and `/operator/`, and forms on `/oauth/`, `/1.1/` and the advertising hosts. Times are UTC, ids are strings.',
  'A refused call says why: problems (RFC 7807) on the general host, `errors` with codes on the advertising hosts. `429` comes with `x-rate-limit-reset`, the second at which calls are allowed again.',
].join('\n\n')

/** What the OpenAPI description of some endpoints is printed from. */
export const describe = (endpoints: readonly Endpoint[], dialect: Dialect): Described => ({
  endpoints,
  events: describedEvents(dialect),
  introduction,
  groups,
})
