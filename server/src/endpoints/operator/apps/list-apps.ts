import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/endpoint.ts'
import { id, integer, listOf, object, optional } from '../../../api/words.ts'
import type { AppStore } from '../../../storage/apps.ts'
import { appSchema, appView } from './app-view.ts'

export const listApps = endpoint({
  name: 'listApps',
  route: 'GET /operator/apps',
  section: '§5',
  summary: 'The apps, oldest first, without their secrets.',
  auth: operator,
  params: {
    after: optional(id({ description: '`meta.next_after` of the page before.' })),
    max_results: optional(integer({ min: 1, max: 1000, default: 100 })),
  },
  answer: object({
    data: listOf(appSchema),
    meta: object({
      result_count: integer({ min: 0 }),
      next_after: optional(id({ description: 'There may be more: ask with this as `after`.' })),
    }),
  }),
  async handle({ params: { after, max_results = 100 } }, { apps, now }: { apps: AppStore; now: () => number }) {
    const found = await apps.list(after ?? null, max_results)
    const more = found.length === max_results && { next_after: found.at(-1)!.id }
    return { data: found.map((app) => appView(app, now())), meta: { result_count: found.length, ...more } }
  },
})
