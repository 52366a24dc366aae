import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { call } from './call.ts'
import type { Flavour } from './database.ts'
import { blockIn, handbookBlocks, upstreams } from './handbook.ts'
import type { Machine } from './machine.ts'
import { authorization } from './oauth-client.ts'
import { signInThrough, through } from './public-sign-in.ts'

const API = 'https://api.example.com'
const CALLBACK = 'https://acme.example/signed-in'

/** Commands for the other database. */
const isForOther = (text: string, flavour: Flavour) => (flavour === 'sqlite' ? /database-url|postern-second/ : /sqlite/).test(text)

/** After the step of the first app and user: its bearer token works, and Ada signs in. */
async function checkSignIn(machine: Machine, printed: string) {
  const { agent } = machine.proxy()
  const { token_type, access_token } = JSON.parse(printed.trim().split('\n').at(-1)!)
  assert.equal(token_type, 'bearer')
  const bearer = { authorization: `Bearer ${access_token}` }
  const lies = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '192.0.2.1' }
  for (const more of [{}, lies])
    assert.equal(
      (await through(agent, 'GET', `${API}/2/webhooks`, { ...bearer, ...more })).status,
      200,
      'the proxy overwrites what clients say',
    )

  const first = JSON.parse(readFileSync(join(machine.root, 'etc/postern/first.json'), 'utf8'))
  const [{ consumer_key, consumer_secret }] = first.apps
  const credentials = await signInThrough(agent, {
    origin: API,
    app: { consumer_key, consumer_secret },
    callback: CALLBACK,
    username: 'ada',
    password: first.users[0].password,
  })
  const url = `${API}/2/users/me`
  const me = await through(agent, 'GET', url, { authorization: authorization({ ...credentials, url }), ...lies })
  assert.deepEqual([me.status, JSON.parse(me.text).data.username], [200, 'ada'])

  const port = upstreams(machine.here(blockIn('nginx')))['api.example.com']
  const past = await call(`http://127.0.0.1:${port}/2/webhooks`, 'GET', { headers: bearer })
  assert.deepEqual([past.status, past.body.errors[0].code], [403, 92], 'past the proxy the token is refused')
}

/** Pastes all commands of the page (`sh`) but those for the other database and those that need ids of one's own (`bash`); looks at what they give as soon as it is there. */
export async function follow(machine: Machine, flavour: Flavour) {
  const pasted: string[] = []
  for (const { language, text } of handbookBlocks()) {
    if (language !== 'sh' || isForOther(text, flavour)) continue
    const printed = await machine.paste(text)
    pasted.push(text)
    if (text.includes('/oauth2/token')) await checkSignIn(machine, printed)
    if (text.includes('rotate_secret')) assert.match(printed, /"consumer_secret":"[\w-]{40,}"/)
    if (text.includes('/operator/audit')) assert.match(printed, /loadSeed/)
  }
  const parts = ['openssl rand', 'systemctl enable', '/readyz', '/oauth2/token', 'OPERATOR_TOKENS_FILE', 'rotate_secret']
  for (const part of [...parts, ...['apps', 'users/101', 'sessions', 'tokens/revoke', 'webhooks'].map((path) => `/operator/${path}`)])
    assert.ok(
      pasted.some((text) => text.includes(part)),
      `${part} was pasted`,
    )
}
