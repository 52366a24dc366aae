import { headerOf } from '../api/declare/raw-request.ts'
import type { Trace } from '../api/serve.ts'
import { readTraceparent } from '../lib/traceparent.ts'
import type { Traces } from './telemetry.ts'

/** Makes a span of each call of an endpoint, below the one that the client names. */
export const traceCalls =
  (traces: Traces): Trace =>
  ({ name, path }, request, answer) => {
    const { method } = request
    const beginning = {
      name: `${method} ${path}`,
      kind: 'server' as const,
      attributes: { 'http.request.method': method, 'http.route': path, 'postern.endpoint': name },
      parent: readTraceparent(headerOf(request, 'traceparent') ?? ''),
    }
    return traces.run(beginning, async (span) => {
      const answered = await answer()
      const { status, caller } = answered
      span.set({ 'http.response.status_code': status, 'postern.app_id': caller?.app?.id })
      if (status >= 500) span.failed(String(status))
      return answered
    })
  }
