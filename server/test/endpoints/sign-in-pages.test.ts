import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explanationPage, firstDifference } from '../../src/development/explain/explanation-endpoint.ts'
import type { ExplainedSignature, Explanation } from '../../src/development/explain/explanations.ts'
import { approvalPage } from '../../src/endpoints/sign-in/approval-page.ts'
import type { ApprovalRequest } from '../../src/endpoints/sign-in/approval-request.ts'
import { permissionWords } from '../../src/endpoints/sign-in/approve.ts'
import type { App } from '../../src/storage/apps.ts'
import type { User } from '../../src/storage/users.ts'

const ada = { id: '101', name: 'Ada', username: 'ada' } as User
const request: ApprovalRequest = {
  app: { name: 'Demo' } as App,
  callback: 'https://demo.example/cb',
  ...permissionWords.read,
  path: '/oauth/authorize',
  fields: { oauth_token: 'abc' },
  allow: () => assert.fail('not decided here'),
  deny: () => assert.fail('not decided here'),
}
const asked = { request, proof: 'xyz' }
const askedAt = (callback: string) => ({ ...asked, request: { ...request, callback } })

/** What a list of a page says, line by line. */
const linesOf = (page: string, kind: 'may' | 'not') =>
  [...(new RegExp(`<ul class="${kind}">([\\s\\S]*?)</ul>`).exec(page)?.[1] ?? '').matchAll(/<li>(.*)<\/li>/g)].map((match) => match[1])

const SEE = ['See your profile and your posts', 'See whom you follow']
const POST = 'Post, follow and change your profile for you'
const PASSWORD = 'See your password'
const ACCESS = [
  ['read', SEE, ['Post, follow or change your profile for you', 'See or send your direct messages', PASSWORD]],
  ['read_write', [...SEE, POST], ['See or send your direct messages', PASSWORD]],
  ['read_write_dm', [...SEE, POST, 'See, send and delete your direct messages'], [PASSWORD]],
] as const

test('the approval page names all that an app will be able to do, and all that it will not', () => {
  for (const [access, may, not] of ACCESS) {
    const page = approvalPage({ ...asked, request: { ...request, ...permissionWords[access] }, user: undefined }).body.text
    assert.deepEqual([linesOf(page, 'may'), linesOf(page, 'not')], [may, not], access)
  }
})

test('the approval page asks for a password only where nobody is signed in', () => {
  const known = approvalPage({ ...asked, user: ada }).body.text
  assert.match(known, /Signed in as <bdi>Ada<\/bdi> @ada/)
  assert.match(known, /href="\/oauth\/authorize\?oauth_token=abc&amp;force_login=true"/)
  assert.doesNotMatch(known, /type="password"/)
  const unknown = approvalPage({ ...asked, user: undefined, screenName: 'gra' }).body.text
  assert.match(unknown, /name="username" value="gra"/)
  assert.match(unknown, /Sign in and allow/)
  assert.doesNotMatch(unknown, /aria-invalid|aria-describedby|role="alert"|autofocus/)
})

test('a failed sign-in is described at both fields, which are invalid only after wrong credentials', () => {
  for (const [status, isInvalid] of [
    [401, true],
    [403, false],
    [429, false],
  ] as const) {
    const { title, body } = approvalPage({ ...asked, user: undefined, failure: 'That was wrong.', status })
    assert.equal(title, 'Error: Allow Demo?')
    assert.equal(body.text.match(/aria-describedby="failure"/g)?.length, 2)
    assert.equal(body.text.match(/aria-invalid="true"/g)?.length, isInvalid ? 2 : undefined)
    assert.match(body.text, /<p class="wrong" id="failure" role="alert">That was wrong\.<\/p>/)
  }
})

test('the approval page says where the user goes afterwards', () => {
  assert.match(approvalPage({ ...asked, user: ada }).body.text, /Either way you go back to demo\.example\./)
  assert.match(approvalPage({ ...askedAt('oob'), user: ada }).body.text, /you get a PIN to type into/)
  assert.deepEqual(approvalPage({ ...askedAt('oob'), user: ada }).formTargets, [])
  assert.deepEqual(approvalPage({ ...asked, user: ada }).formTargets, ['https://demo.example'])
  assert.deepEqual(approvalPage({ ...askedAt('demo-app://signed-in'), user: ada }).formTargets, ['demo-app:'])
})

const explanation: Explanation = {
  atMs: Date.UTC(2026, 2, 1, 12, 34, 56),
  method: 'GET',
  path: '/2/users/me',
  sentences: ['One. Two.', 'Three.'],
  answer: 'code 32: Could not authenticate you.',
}
const bodyOf = (more: Partial<ExplainedSignature>) =>
  explanationPage({ ...explanation, signature: { parameters: [], more: 0, bases: [], ...more } }).body.text

test('an explanation is headed by its first sentence, and says when which call was answered', () => {
  const body = bodyOf({})
  assert.match(body, /<h1>One\.<\/h1>\s*<p>\s?Two\.<\/p>\s*<p>Three\.<\/p>/)
  assert.match(body, /<code>GET \/2\/users\/me<\/code> at 12:34:56 UTC was answered with code 32/)
  assert.doesNotMatch(body, /<table>|base string that/)
})

test('an explanation shows what stands in backticks as code', () => {
  const { body } = explanationPage({ ...explanation, sentences: ['Send `a=b`.', 'Encode `<`, and no ` alone.'] })
  assert.match(body.text, /<h1>Send <code>a=b<\/code>\.<\/h1>/)
  assert.match(body.text, /<p>Encode <code>&lt;<\/code>, and no &#96; alone\.<\/p>/)
})

test('an explanation lists the parameters that came, how often they count, and how many more there were', () => {
  const parameters = [{ name: 'a', value: '1', from: ['query' as const], inBase: 'a=1' }]
  assert.doesNotMatch(bodyOf({ parameters }), /counted once|And \d+ more/)
  const more = bodyOf({ parameters: [{ ...parameters[0]!, from: ['query', 'header'] }], more: 1 })
  assert.match(more, /query, header <span class="soft">counted once<\/span>/)
  assert.match(more, /And 1 more\./)
})

test('an explanation shows the base string of the server, and where that of the client differs', () => {
  assert.match(bodyOf({ bases: ['GET&a'] }), /The base string that the server built<\/h2><pre>GET&amp;a<\/pre>/)
  assert.match(bodyOf({ bases: ['GET&a'], signedBase: 'GET&a' }), /The client built the same base string/)
  assert.match(bodyOf({ bases: ['GET&a'], signedBase: 'GET&b' }), /The base string that the client signed/)
})

test('two texts are parted where they differ first and last', () => {
  assert.deepEqual(firstDifference('abcxdef', 'abcyydef'), [
    ['abc', 'x', 'def'],
    ['abc', 'yy', 'def'],
  ])
  assert.deepEqual(firstDifference('abc', 'abcd'), [
    ['abc', '', ''],
    ['abc', 'd', ''],
  ])
  assert.deepEqual(firstDifference('ab', 'axb'), [
    ['a', 'b', ''],
    ['a', 'x', 'b'],
  ])
  assert.deepEqual(firstDifference('x', 'y'), [
    ['', 'x', ''],
    ['', 'y', ''],
  ])
})
