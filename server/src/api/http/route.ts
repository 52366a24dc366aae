import { pathOf, type RawAnswer, type RawRequest } from '../declare/raw-request.ts'

/** What is served at a path. */
export interface Route {
  /** With `:name` placeholders. */
  path: string
  /** The methods that are served; `respond` refuses any other. */
  methods: readonly string[]
  bodyLimitBytes: number
  /** Bodies other than forms, which signatures cover, are handed on unread. */
  streams?: boolean
  /** Checks a caller by the headers alone, before a large body is read; undefined lets it come. */
  refuseEarly?(request: RawRequest): Promise<RawAnswer | undefined>
  respond(request: RawRequest): Promise<RawAnswer>
}

/** A route that a request reaches, with the values of its placeholders. */
export interface Found {
  route: Route
  pathParams: Record<string, string>
}

/** A place in the table of routes: what follows the steps of a path that led here. */
interface Node {
  steps: Map<string, Node>
  /** Where any step leads that is not in `steps`. */
  any: Node | undefined
  route: Route | undefined
  /** The placeholders of the route. */
  names: readonly string[]
}

const emptyNode = (): Node => ({ steps: new Map(), any: undefined, route: undefined, names: [] })

/** The steps of a path, without a slash at its end. */
const stepsOf = (path: string): string[] => (path.length > 1 && path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/')

function decoded(step: string): string {
  if (!step.includes('%')) return step
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

function add(root: Node, route: Route) {
  const names: string[] = []
  let node = root
  for (const step of stepsOf(route.path)) {
    const isPlaceholder = step.startsWith(':')
    if (isPlaceholder) names.push(step.slice(1))
    const next: Node = (isPlaceholder ? node.any : node.steps.get(step)) ?? emptyNode()
    if (isPlaceholder) node.any = next
    else node.steps.set(step, next)
    node = next
  }
  if (node.route) throw new Error(`two routes have the path ${route.path}`)
  node.route = route
  node.names = names
}

/** A name goes before a placeholder, as `/2/webhooks/replay` does before `/2/webhooks/:webhook_id`. A placeholder takes nothing empty. */
function findIn(node: Node, steps: readonly string[], at: number, values: string[]): Node | undefined {
  if (at === steps.length) return node.route && node
  const step = steps[at]!
  const named = node.steps.get(step)
  const found = named && findIn(named, steps, at + 1, values)
  if (found || !node.any || step === '') return found
  values.push(step)
  const taken = findIn(node.any, steps, at + 1, values)
  if (!taken) values.pop()
  return taken
}

/** Finds routes by path, whatever the method. One table of steps: a router with its own patterns took a tenth of a start to build. */
export function createRouteFinder(routes: readonly Route[]) {
  const root = emptyNode()
  for (const route of routes) add(root, route)
  return (target: string): Found | undefined => {
    const values: string[] = []
    const node = findIn(root, stepsOf(pathOf(target).split('#', 1)[0]!).map(decoded), 0, values)
    if (!node) return undefined
    const pathParams: Record<string, string> = {}
    for (const [place, name] of node.names.entries()) pathParams[name] = values[place]!
    return { route: node.route!, pathParams }
  }
}
