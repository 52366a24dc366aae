import type { Endpoint } from '../../../src/api/declare/endpoint.ts'
import type { AnyResource } from '../../../src/api/records/resource.ts'
import { Campaign } from '../../../src/endpoints/ads/resources/campaign.ts'
import { LineItem } from '../../../src/endpoints/ads/resources/line-item.ts'
import { lazy } from '../../../src/lib/lazy.ts'
import { operation, sha, update } from '../ads-audiences.ts'
import { recordOf } from '../fill-records.ts'
import type { DearBody } from './dearest-request.ts'
import { productOf } from './large-world.ts'

const json = (value: unknown): DearBody => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })

const UPLOAD_BYTES = 5_000_000

/** A multipart body with a file. */
function multipart(fields: Record<string, string>): DearBody {
  const part = (name: string, more = '') => `--edge\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`
  const before = Object.entries(fields).map(([name, value]) => `${part(name)}${value}\r\n`)
  const head = Buffer.from(`${before.join('')}${part('media', '; filename="file"')}`)
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
    body: Buffer.concat([head, Buffer.alloc(UPLOAD_BYTES, 1), Buffer.from('\r\n--edge--\r\n')]),
  }
}

/** A batch of users of nearly 5 MB. Made once: an endpoint that refuses it at once is asked hundreds of times. */
const users = lazy(() => json([update(Array.from({ length: 54_000 }, (_, n) => ({ email: [sha(`user${n}`)] })))]))

const upload = lazy(() => multipart({ media_category: 'tweet_image' }))
const appended = lazy(() => multipart({ segment_index: '1' }))
const command = lazy(() => multipart({ command: 'APPEND', media_id: '1', segment_index: '0' }))

const firstKey = (resource: AnyResource) => String(recordOf(resource, 0, 'a')[resource.key])

/** As many operations as a batch may have, about records of the world. */
const batch = ({ rawBody }: Endpoint) => {
  const { schema, example } = rawBody!
  const [{ params }] = example as [{ params: object }]
  const parents = { campaign_id: firstKey(Campaign as AnyResource), line_item_id: firstKey(LineItem as AnyResource) }
  const own = Object.fromEntries(Object.entries(parents).filter(([name]) => name in params))
  const operations = Array.from({ length: (schema as { maxItems: number }).maxItems }, () =>
    operation('Create', { ...params, ...own, name: 'x'.repeat(255) }),
  )
  return json(operations)
}

let events = 0

/** The bodies of the dearest requests of endpoints that take large ones, by the names of these. */
export const dearBodies: Readonly<Record<string, (endpoint: Endpoint, userId: string) => DearBody>> = {
  uploadMedia: upload,
  appendUpload: appended,
  runUploadCommand: command,
  putProducts: () => json({ products: Array.from({ length: 25 }, (_, n) => productOf(n, 'x'.repeat(9000))) }),
  createProductSet: () =>
    json({
      name: 'x'.repeat(255),
      type: 'FILTERED',
      filters: Array.from({ length: 30 }, (_, n) => ({ attribute: 'inventory', operator: 'EQUAL_TO', value: `${n}` })),
    }),
  changeAudienceUsers: users,
  changeDoNotReachUsers: users,
  batchCampaigns: batch,
  batchLineItems: batch,
  batchTargetingCriteria: batch,
  loadSeed: (_, userId) =>
    json({ posts: Array.from({ length: 2000 }, (_, n) => ({ id: String(5_000_000 + n), author_id: userId, text: 'x'.repeat(240) })) }),
  publishEvents: (_, userId) =>
    json({
      events: Array.from({ length: 1000 }, () => {
        events += 1
        return { event_type: 'dm.received', user_id: userId, event_uuid: String(events), payload: { text: 'x'.repeat(10_000) } }
      }),
    }),
}
