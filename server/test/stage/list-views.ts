// A list as callers see it, read to its end, and the order that its records must have.
import assert from 'node:assert/strict'
import type { ListEndpoint } from '../../src/api/records/list-endpoint.ts'
import type { AnyResource } from '../../src/api/records/resource.ts'
import { SANDBOX } from '../../src/endpoints/ads/resources/account.ts'
import type { Long } from '../../src/lib/numbers.ts'
import { keyOf } from '../../src/storage/records.ts'
import { type AdsCall, type AdsParams, adsCaller, adsSeed, dataOf } from './ads.ts'
import type { AnyRecord, Owner } from './fill-records.ts'
import { demoApp, type Stage } from './postern.ts'
import { ada, grace } from './sign-in.ts'
import { adas, graces } from './signed-calls.ts'

const hopper = { id: '103', username: 'hopper', name: 'Hopper' }
const hoppersToken = {
  consumer_key: demoApp.consumer_key,
  user_id: hopper.id,
  oauth_token: `${hopper.id}-${'h'.repeat(40)}`,
  oauth_token_secret: 'secret-h',
}

const accounts = ['busy', 'quiet'].map((id) => ({ id, name: id, sandbox: true, members: [{ user_id: ada.id, role: 'ACCOUNT_ADMIN' }] }))
/** A seed whose accounts `busy` and `quiet` are of the sandbox. */
export const listSeed = {
  ...adsSeed,
  users: [...(adsSeed.users ?? []), hopper],
  tokens: [...(adsSeed.tokens ?? []), hoppersToken],
  accounts,
} as typeof adsSeed

/** A list as one caller sees it, and whose records those are. */
export interface View {
  read(params?: AdsParams): ReturnType<AdsCall>
  owner: Owner
  resource: AnyResource
}

/** The list as the owner of many records sees it, and as the owner of few. */
export function viewsOf({ path, example, lists: resource }: ListEndpoint, stage: Stage): [busy: View, quiet: View] {
  const view = (accountId: string, credentials: typeof adas, owner: Owner): View => {
    const at = path.replaceAll(/:(\w+)/g, (_, name) => (name === 'account_id' ? accountId : String(example[name])))
    const ads = adsCaller(stage, 'sandbox', credentials)
    return { owner, resource, read: (params) => ads('GET', at, params) }
  }
  const ownerOf = (account_id: string): Owner => ({ account_id, ...resource.only })
  if (!resource.listedFrom) return [view('busy', adas, ownerOf('busy')), view('quiet', adas, ownerOf('quiet'))]
  const hoppers = { ...demoApp, ...hoppersToken }
  return [view('', graces, { user_id: grace.id, host: SANDBOX }), view('', hoppers, { user_id: hopper.id, host: SANDBOX })]
}

const byText = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

export function compareValues(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  if (typeof a === 'string') return byText(a, b as string)
  return Number((a as Long) > (b as Long)) - Number((a as Long) < (b as Long))
}

/** Records in the order that `sort_by` asks for: nulls are less than all others, and the record's key is the last. */
export function sorted(resource: AnyResource, records: readonly AnyRecord[], sort: readonly string[]): string[] {
  const keys = sort.map((key) => ({ field: key.replace(/-\w+$/, ''), sign: key.endsWith('-desc') ? -1 : 1 }))
  keys.push({ field: resource.key, sign: keys.at(-1)!.sign })
  const compare = (a: AnyRecord, b: AnyRecord) => {
    for (const { field, sign } of keys) {
      const order = compareValues(a[field], b[field])
      if (order !== 0) return order * sign
    }
    return 0
  }
  return keysOf(resource, records.toSorted(compare))
}

export const keysOf = (resource: AnyResource, records: readonly object[]): string[] => records.map((record) => keyOf(resource, record))

/** Reads a list page by page to its end; `between` is done after each page. */
export async function readAll({ read, resource }: View, params: AdsParams, between?: (page: number) => Promise<void>): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < 1000; page++) {
    const answer = await read({ ...params, ...(cursor !== null && { cursor }) })
    seen.push(...keysOf(resource, dataOf(answer)))
    cursor = answer.body.next_cursor
    if (cursor === null) return seen
    assert.equal(answer.body.data.length, params.count, 'a page before the last is full')
    await between?.(page)
  }
  throw new Error('a list without an end')
}
