import { xPathOf } from '../../api/declare/dialect.ts'
import type { Endpoint } from '../../api/declare/endpoint.ts'
import { pathOf, type RawRequest } from '../../api/declare/raw-request.ts'
import { didYouMeanPath } from '../../lib/nearest.ts'

/** Every call. */
export const ANY_CALL = '*'

/** A path in the spelling of dialect `x`, in steps: `.json` and a slash at its end do not count. */
const stepsOf = (path: string) => xPathOf(path.replace(/\/$/, '').replace(/\.json$/, '')).split('/')

const isPlaceholder = (step: string) => step.startsWith(':') || step === '*'

const matchesSteps = (pattern: readonly string[], steps: readonly string[], isSame: (wanted: string, step: string) => boolean) =>
  pattern.length === steps.length && pattern.every((wanted, at) => isSame(wanted, steps[at]!))

/** HEAD is a GET without its body. */
const verbOf = (method: string) => (method === 'HEAD' ? 'GET' : method)

/** Returns a function that says whether a request is of a verb and path such as `POST /2/webhooks/:id`, in either dialect. */
export function callMatcher(call: string): (request: RawRequest) => boolean {
  if (call === ANY_CALL) return () => true
  const [verb, path = ''] = call.split(' ')
  const pattern = stepsOf(path)
  return ({ method, target }) =>
    verbOf(method) === verb && matchesSteps(pattern, stepsOf(pathOf(target)), (wanted, step) => isPlaceholder(wanted) || wanted === step)
}

/** Whether one of these endpoints may get such calls. */
export function hasEndpoint(call: string, endpoints: readonly Pick<Endpoint, 'method' | 'path'>[]): boolean {
  if (call === ANY_CALL) return true
  const [verb, path = ''] = call.split(' ')
  const pattern = stepsOf(path)
  return endpoints.some(
    (one) =>
      one.method === verb &&
      matchesSteps(pattern, stepsOf(one.path), (wanted, step) => isPlaceholder(wanted) || isPlaceholder(step) || wanted === step),
  )
}

/** ` Did you mean …?` with the calls that were probably meant, in either dialect. */
export function callMeant(call: string, endpoints: readonly Pick<Endpoint, 'method' | 'path'>[]): string {
  const [verb, path = ''] = call.split(' ')
  const paths = endpoints.filter(({ method }) => method === verb).flatMap((one) => [one.path, xPathOf(one.path)])
  return didYouMeanPath(path, paths, `${verb} `)
}
