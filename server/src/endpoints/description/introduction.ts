/** What the description says before everything else, in Markdown. */
export const introduction = [
  'Postern is the developer API of a short-post service: webhooks and streams of what users do, sign-in, posts, users, lists, spaces, direct messages, media, and advertising.',
  'Every call needs credentials, but for those that hand them out. Each endpoint names the kinds that it takes; any one of them will do.',
  'Bodies are JSON on paths under `/2/` and `/operator/`, and forms on `/oauth/`, `/1.1/` and the advertising hosts. Times are UTC, ids are strings.',
  'A refused call says why: problems (RFC 7807) on the general host, `errors` with codes on the advertising hosts. `429` comes with `x-rate-limit-reset`, the second at which calls are allowed again.',
].join('\n\n')
