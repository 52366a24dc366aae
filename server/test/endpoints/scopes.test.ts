import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adsEndpoints, generalEndpoints } from '../../scripts/all-endpoints.ts'
import { oauth2User } from '../../src/access/oauth2-user.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import { parseScopes, scopeNamed, scopeWords } from '../../src/api/declare/scopes.ts'
import { openApi } from '../../src/api/openapi.ts'

const endpoints = generalEndpoints as unknown as readonly Endpoint[]

const takesOAuth2 = ({ auth }: Endpoint) => (auth.anyOf ?? [auth]).some(({ name }) => name === oauth2User.name)

const scopesOf = (name: string) => endpoints.find((endpoint) => endpoint.name === name)?.scopes

test('every endpoint that takes an OAuth 2.0 access token says which scopes it needs, and all others say none', () => {
  for (const endpoint of endpoints) {
    const { name, scopes } = endpoint
    assert.equal(scopes.length > 0, takesOAuth2(endpoint), name)
    for (const scope of scopes) assert.equal(scopeNamed(scope), scope, name)
  }
  const { length } = endpoints.filter(takesOAuth2)
  assert.ok(length > 70, `${length} endpoints take an access token`)
})

test('an OAuth 2.0 access token is taken under /2/ alone', () => {
  for (const endpoint of endpoints.filter(takesOAuth2)) assert.match(endpoint.path, /^\/2\//, endpoint.name)
  const taking = (adsEndpoints as unknown as readonly Endpoint[]).filter(takesOAuth2)
  assert.deepEqual(
    taking.map(({ name }) => name),
    [],
  )
})

test('scopes are those of public practice', () => {
  const expected: Record<string, string[]> = {
    usersMe: ['post.read', 'users.read'],
    getPost: ['post.read', 'users.read'],
    createPost: ['post.read', 'post.write', 'users.read'],
    likePost: ['like.write', 'post.read', 'users.read'],
    listLikedPosts: ['like.read', 'post.read', 'users.read'],
    followUser: ['follows.write', 'post.read', 'users.read'],
    listFollowing: ['follows.read', 'post.read', 'users.read'],
    muteUser: ['mute.write', 'post.read', 'users.read'],
    listBlocking: ['block.read', 'post.read', 'users.read'],
    bookmarkPost: ['bookmark.write', 'post.read', 'users.read'],
    createList: ['list.read', 'list.write', 'post.read', 'users.read'],
    deleteMessage: ['dm.read', 'dm.write'],
    listRepostsOfMe: ['post.read', 'timeline.read'],
    createSpace: ['post.read', 'post.write', 'space.read', 'users.read'],
    countRecentPosts: ['post.read'],
    getSpace: ['post.read', 'space.read', 'users.read'],
    listMessages: ['dm.read', 'post.read', 'users.read'],
    sendMessageWith: ['dm.write', 'post.read', 'users.read'],
    hideReply: ['post.moderate.write', 'post.read', 'users.read'],
    uploadMedia: ['media.write'],
    createSubscription: ['dm.read', 'post.read'],
  }
  for (const [name, scopes] of Object.entries(expected)) assert.deepEqual(scopesOf(name), scopes, name)
})

test('both spellings of a scope are accepted, each once, and an unknown one is not', () => {
  assert.deepEqual(parseScopes('tweet.read post.read follow.read follows.read  users.read'), ['post.read', 'follows.read', 'users.read'])
  for (const text of ['', ' ', 'post.read nothing', 'Post.read', 'constructor', 'tweet.']) assert.equal(parseScopes(text), undefined, text)
})

test('the description has the flow with all scopes in words, and each operation its own, in the dialect', () => {
  const servers = { base_url: 'https://api.example', ads_base_url: 'https://ads.example', ads_sandbox_base_url: 'https://sandbox.example' }
  for (const [dialect, posts] of [
    [dialects.spec, 'post'],
    [dialects.x, 'tweet'],
  ] as const) {
    const { components, paths } = openApi({ endpoints, events: [] }, dialect, servers, () => undefined)
    const scheme = components.securitySchemes.oauth2User as { type: string; flows: { authorizationCode: Record<string, object> } }
    const { scopes, ...urls } = scheme.flows.authorizationCode
    assert.deepEqual(urls, { authorizationUrl: '/2/oauth2/authorize', tokenUrl: '/2/oauth2/token', refreshUrl: '/2/oauth2/token' })
    assert.equal(Object.keys(scopes!).length, Object.keys(scopeWords).length)
    assert.ok(`${posts}.write` in scopes!, `${posts}.write is not among ${Object.keys(scopes!)}`)
    const create = paths[`/2/${posts}s`]!.post as { security: object[] }
    assert.deepEqual(create.security, [{ signedUser: [] }, { oauth2User: [`${posts}.read`, `${posts}.write`, 'users.read'] }])
  }
})
