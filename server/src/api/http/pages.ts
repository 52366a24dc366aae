import { lazy } from '../../lib/lazy.ts'
import { JSON_TYPE } from '../answer/serialize.ts'
import { type Area, areaOf } from '../areas.ts'
import { methodNotAllowed } from '../declare/problem.ts'
import type { RawAnswer, RawRequest } from '../declare/raw-request.ts'
import type { Route } from './route.ts'

const PAGE_METHODS = ['GET', 'HEAD']

/** A page that answers GET and nothing else; it refuses in the form of its area. Requests for it are counted by the first step of its path, `start` for `/`. */
export const page = (path: string, answer: (request: RawRequest) => Promise<RawAnswer> | RawAnswer, area: Area = areaOf(path)): Route => ({
  path,
  methods: PAGE_METHODS,
  bodyLimitBytes: 1024,
  async respond(request) {
    if (PAGE_METHODS.includes(request.method)) return { ...(await answer(request)), endpoint: path.split('/')[1] || 'start' }
    return area.refuse(methodNotAllowed(request.method, PAGE_METHODS.join(', ')), { problemBaseUrl: '' })
  },
})

/** A page of JSON; its value is asked for once. Those who ask and do not read share its bytes. */
export const jsonPage = (path: string, value: () => unknown): Route =>
  page(
    path,
    lazy(() => ({ status: 200, headers: { 'content-type': JSON_TYPE }, body: Buffer.from(JSON.stringify(value())) })),
  )
