// What the kit says of answers is what the server declares. The kit's types are its own, because those of the server would bring those of its
// libraries; the compiler compares them here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  DisorderKind,
  DisorderOptions,
  DrawnFault,
  Fault,
  FaultOptions,
  Postern,
  RecordedMessage,
  RecordedRequest,
  RequestQuery,
} from 'postern'
import type { Static } from '../../server/src/api/declare/words.ts'
import { createDisorder, type disorderSchema } from '../../server/src/development/faults/disorder-endpoints.ts'
import { createFault, type faultSchema } from '../../server/src/development/faults/fault-endpoints.ts'
import type { callSchema } from '../../server/src/development/requests/call-view.ts'
import { listRequests } from '../../server/src/development/requests/request-endpoints.ts'
import type { DisorderReport } from '../src/kit/disorder.ts'

type Call = Static<typeof callSchema>

/** The members that only one of two types has. */
type Others<One, Other> = Exclude<keyof One, keyof Other> | Exclude<keyof Other, keyof One>

/** Compiles only if both have the same members. */
const same = <One, Other>(...others: [Others<One, Other>] extends [never] ? [] : [never]) => others.length === 0

test('faults, disorders and requests have the members that the server declares', () => {
  assert.ok(same<Fault, Static<typeof faultSchema>>())
  assert.ok(same<DisorderReport, Static<typeof disorderSchema>>())
  assert.ok(same<DrawnFault, Static<typeof disorderSchema>['drawn'][number]>())
  assert.ok(same<RecordedRequest, Call>())
  assert.ok(same<RecordedMessage, Call['request']>())
})

/** Every member of the options, once: the compiler names one that is missing or too many. */
const options: Record<keyof FaultOptions, true> = {
  call: true,
  delivery: true,
  app_id: true,
  webhook_id: true,
  times: true,
  status: true,
  delay: true,
  cut: true,
  garbage: true,
  duplicate: true,
  reorder: true,
  drop: true,
  wrong_signature: true,
}
const disorderOptions: Record<keyof DisorderOptions, true> = {
  seed: true,
  calls: true,
  deliveries: true,
  kinds: true,
  statuses: true,
  max_delay: true,
  app_id: true,
}
const disorderKinds: Record<DisorderKind, true> = { status: true, delay: true, cut: true, garbage: true, duplicate: true, reorder: true }
const query: Record<keyof RequestQuery, true> = {
  app_id: true,
  status: true,
  path: true,
  event_uuid: true,
  last: true,
  after: true,
  max_results: true,
}

test('what a fault is made of and what requests are selected by are the parameters of the server', () => {
  assert.deepEqual(Object.keys(options).sort(), Object.keys(createFault.params).sort())
  assert.deepEqual(Object.keys(disorderOptions).sort(), Object.keys(createDisorder.params).sort())
  assert.deepEqual(Object.keys(disorderKinds), (createDisorder.params.kinds as unknown as { items: { enum: string[] } }).items.enum)
  assert.deepEqual(Object.keys(query).sort(), Object.keys(listRequests.params).sort())
})

/** What compiles, and what does not: the compiler finds a wrong line below, and one that should be wrong and is not. Nothing runs it. */
export async function typed({ trigger, inbox, faults, disorder }: Postern): Promise<void> {
  const { event } = await inbox.next('like.create')
  const liked: string | undefined = event.data.payload.liked_post_id
  const { event: published } = await trigger('post.mention.create', { from: 'grace', text: liked })
  const author: string | undefined = published?.payload.author_id
  await trigger('follow.follow', { payload: { source: {}, username: author } })
  await inbox.register({ events: ['post.create', 'ProfileBioUpdate'] })
  await faults.add({ call: 'POST /2/tweets', status: 429 })
  await faults.add({ call: 'POST /2/posts', delay: '1s' })
  await faults.add({ delivery: '*', drop: true })
  // @ts-expect-error: a like has no text
  void event.data.payload.text
  // @ts-expect-error: it is no member of the payload, at any depth
  await trigger('follow.follow', { payload: { sauce: {} } })
  // @ts-expect-error: it is no event type
  await inbox.register({ events: ['post.created'] })
  // @ts-expect-error: it is no option
  await trigger('dm.received', { recipient: 'ada' })
  // @ts-expect-error: it is never drawn
  await disorder({ kinds: ['drop'] })
  // @ts-expect-error: there is no such call
  await faults.add({ call: 'PUT /2/posts', status: 429 })
}
