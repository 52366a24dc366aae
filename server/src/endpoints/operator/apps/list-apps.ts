import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { invalidRequest } from '../../../api/declare/problem.ts'
import { id } from '../../../api/declare/words.ts'
import type { AppStore } from '../../../storage/apps.ts'
import { operatorPage } from '../operator-page.ts'
import { appSchema, appView } from './app-view.ts'

const page = operatorPage('after', id, appSchema)

/** A page after an app that is gone would be empty, and look like the last. */
const noSuchPlace = (after: string) =>
  invalidRequest([
    {
      message: '$.after: must be the id of an app; this one may have been deleted, begin again without after',
      parameters: { after: [after] },
    },
  ])

export const listApps = endpoint({
  name: 'listApps',
  route: 'GET /operator/apps',
  section: '§5',
  summary: 'List the apps, oldest first, without their secrets.',
  auth: operator,
  params: page.params,
  answer: page.answer,
  async handle({ params: { after, max_results } }, { apps, now }: { apps: AppStore; now: () => number }) {
    if (after !== undefined && !(await apps.byId(after))) throw noSuchPlace(after)
    return page.read(max_results, {
      rows: (limit) => apps.list(after ?? null, limit),
      view: (app) => appView(app, now()),
      placeOf: (app) => app.id,
    })
  },
})
