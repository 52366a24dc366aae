import assert from 'node:assert/strict'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { rawRows } from '../storage/samples.ts'
import { type Answer, call } from './call.ts'
import { authorization } from './oauth-client.ts'
import { demoApp, type Stage } from './postern.ts'

/** The name of the user with an id. */
export const nameOf = (id: string) => `user${id}`

/** Users with these ids, each with an access token of the demo app that may write. */
export const usersSeed = (...ids: string[]): SeedDocument => ({
  apps: [{ ...demoApp, permissions: 'read_write_dm' }],
  users: ids.map((id) => ({ id, username: nameOf(id), name: `User ${id}` })),
  tokens: ids.map((id) => ({
    consumer_key: demoApp.consumer_key,
    user_id: id,
    oauth_token: `${id}-token`,
    oauth_token_secret: `secret of ${id}`,
  })),
})

interface Sent {
  json?: unknown
  form?: Record<string, string>
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A call that a user of `usersSeed` signs. */
export function callAs(stage: Stage, userId: string, method: string, path: string, { json, form }: Sent = {}): Promise<Answer> {
  const url = stage.origins.base_url + path
  const token = { oauth_token: `${userId}-token`, oauth_token_secret: `secret of ${userId}` }
  const header = authorization({ ...demoApp, ...token, method, url, form, nowMs: stage.clock.now() })
  const body = form && new URLSearchParams(form).toString()
  return call(url, method, { json, body, headers: { authorization: header, ...(form && FORM) } })
}

/** Creates a post; answers its id. */
export async function postAs(stage: Stage, userId: string, text: string, more: Record<string, unknown> = {}): Promise<string> {
  const answer = await callAs(stage, userId, 'POST', '/2/posts', { json: { text, ...more } })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.id
}

/** Changes the profile of a user in the database itself. */
export const setProfile = (stage: Stage, userId: string, column: 'protected' | 'verified', value: boolean) =>
  rawRows(stage.databaseUrl, `update profiles set ${column} = ${value} where user_id = '${userId}'`)
