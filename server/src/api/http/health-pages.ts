import { JSON_TYPE } from '../answer/serialize.ts'
import type { Area } from '../areas.ts'
import { page } from './pages.ts'
import type { Readiness } from './readiness.ts'
import type { Route } from './route.ts'

const answer = (status: number, value: unknown) => ({
  status,
  headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-store' },
  body: JSON.stringify(value),
})

/**
 * What orchestrators ask of a host of this area: `GET /livez`, 200 while the process answers at all; `GET /readyz`, 200 once it can
 * serve and 503 with what keeps it from that; `GET /healthz`, the same without the reason.
 */
export function healthPages(readiness: Readiness, area?: Area): Route[] {
  const healthz = async () => {
    const ready = (await readiness()).length === 0
    return answer(ready ? 200 : 503, { ready })
  }
  const readyz = async () => {
    const failed = await readiness()
    return failed.length === 0 ? answer(200, { ready: true }) : answer(503, { ready: false, failed })
  }
  return [page('/healthz', healthz, area), page('/readyz', readyz, area), page('/livez', () => answer(200, { alive: true }), area)]
}
