import { iso, listOf, object, objectId, optional, text, timestamp } from '../../api/declare/words.ts'
import { payloadsOf } from './event-payload.ts'

const names = optional(listOf(text()))

const contexts = object({
  entities: optional(object({ events: names, organizations: names, people: names, places: names, products: names })),
  topics: names,
  finance: optional(object({ tickers: names })),
  sports: optional(object({ teams: names })),
})

/** News stories (§6.8). */
export const newsPayloads = payloadsOf({
  'news.new': {
    payload: object({
      id: text(),
      name: text(),
      category: optional(text()),
      hook: optional(text()),
      summary: optional(text()),
      contexts: optional(contexts),
      cluster_posts_results: optional(listOf(object({ post_id: objectId() }))),
      updated_at: optional(timestamp()),
      disclaimer: optional(text()),
    }),
    example: ({ id, atMs }) => ({
      payload: {
        id,
        name: 'The old lighthouse is lit again',
        category: 'News',
        hook: 'After thirty dark years.',
        summary: 'The lighthouse of Saltmere was lit on Sunday.',
        contexts: { entities: { places: ['Saltmere'] }, topics: ['Harbours'] },
        cluster_posts_results: [{ post_id: '2234209271808086016' }],
        updated_at: iso(atMs),
        disclaimer: 'This story is a summary of posts.',
      },
      text: 'The old lighthouse is lit again. The lighthouse of Saltmere was lit on Sunday.',
    }),
  },
})
