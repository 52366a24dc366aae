import assert from 'node:assert/strict'
import { adsCaller, dataOf } from './ads.ts'
import { type Answer, call } from './call.ts'
import { authorization, type SigningCredentials } from './oauth-client.ts'
import type { Stage } from './postern.ts'
import { adas } from './signed-calls.ts'

export const CATALOGS = '/12/product_catalogs'

/** Calls an advertising host with a JSON body in the name of a user. */
export async function sendJson(
  stage: Stage,
  method: string,
  path: string,
  body: unknown,
  { credentials = adas, host = 'ads_base_url' }: { credentials?: SigningCredentials; host?: 'ads_base_url' | 'ads_sandbox_base_url' } = {},
): Promise<Answer> {
  const url = stage.publicOrigins[host] + path
  return call(stage.origins[host] + path, method, {
    headers: {
      authorization: authorization({ ...credentials, method, url, nowMs: stage.clock.now() }),
      'content-type': 'application/json',
    },
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })
}

export type SentProduct = Record<string, unknown>

/** An image that is never fetched: its address is refused. */
export const IMAGE = 'https://10.0.0.1/cup.png'

/** A product that breaks no rule. */
export const cup = (more: SentProduct = {}): SentProduct => ({
  id: 'cup',
  title: 'Cup',
  description: 'A cup of clay.',
  availability: 'in stock',
  condition: 'new',
  price: '12.50 USD',
  link: 'https://shop.example/cup',
  image_link: IMAGE,
  brand: 'Cups',
  ...more,
})

export interface PutResult {
  warnings: string[]
  errors: string[]
  product_key: string
  id: string
  status: string
}

/** A catalog of Ada's, and calls on it. */
export async function createCatalog(stage: Stage) {
  const ads = adsCaller(stage)
  const { id } = dataOf(await ads('POST', CATALOGS, { name: 'Spring' }))
  const path = `${CATALOGS}/${id}`
  const put = async (...products: SentProduct[]): Promise<PutResult[]> =>
    dataOf(await sendJson(stage, 'PUT', `${path}/products`, { products })).products_response
  return {
    id: id as string,
    path,
    ads,
    put,
    /** Puts products that must be accepted; answers their keys. */
    async add(...products: SentProduct[]): Promise<string[]> {
      const results = await put(...products)
      for (const { errors } of results) assert.deepEqual(errors, [])
      return results.map(({ product_key }) => product_key)
    },
    async remove(...product_keys: string[]) {
      return dataOf(await sendJson(stage, 'DELETE', `${path}/products`, { product_keys })).delete_products
    },
    async list(params: Record<string, string | number> = {}): Promise<Record<string, unknown>[]> {
      return dataOf(await ads('GET', `${path}/products`, params))
    },
  }
}
