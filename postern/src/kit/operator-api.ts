/** Why Postern refused a call of the kit. */
export class PosternError extends Error {
  /** The HTTP status. */
  readonly status: number
  /** The body of the answer. */
  readonly body: unknown
  constructor(message: string, status: number, body: unknown) {
    super(message)
    this.name = 'PosternError'
    this.status = status
    this.body = body
  }
}

/** Parameters of the query; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** Calls `/operator/…` of a server. */
export interface OperatorApi {
  /** Resolves to the parsed answer. Throws `PosternError` when it is refused. */
  call<Answer>(method: 'GET' | 'POST' | 'DELETE', path: string, json?: object, query?: Query, signal?: AbortSignal): Promise<Answer>
}

/** Has a disorder leave a call of the kit alone. */
export const UNDISTURBED = { 'x-postern-disorder': 'off' }

const NOT_FOUND = 404

/** Resolves though what a call was about is gone: a reset or a restore took it away. */
export const unlessGone = (call: Promise<unknown>): Promise<void> =>
  call.then(
    () => {},
    (error: unknown) => {
      if (!isGone(error)) throw error
    },
  )

/** Whether a call was refused because there is no such thing. */
export const isGone = (error: unknown): boolean => error instanceof PosternError && error.status === NOT_FOUND

// Taken at once: a test may replace the global one to watch its own program.
const { fetch } = globalThis

interface ProblemBody {
  title?: string
  detail?: string
  errors?: readonly { message?: string }[]
}

/** The sentences of a problem. */
function reasonOf(body: unknown): string {
  const { title, detail, errors = [] } = (typeof body === 'object' && body !== null ? body : {}) as ProblemBody
  const messages = errors.flatMap(({ message }) => message ?? [])
  return messages.length > 0 ? messages.join('; ') : (detail ?? title ?? String(body))
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function addressOf(origin: string, path: string, query: Query): URL {
  const url = new URL(path, origin)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return url
}

/** Calls the operator endpoints at an origin. */
export const createOperatorApi = (origin: string, token: string): OperatorApi => ({
  async call<Answer>(method: string, path: string, json?: object, query: Query = {}, signal?: AbortSignal) {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json', ...(json && { 'content-type': 'application/json' }) }
    const init = { method, headers, ...(json && { body: JSON.stringify(json) }), ...(signal && { signal }) }
    const response = await fetch(addressOf(origin, path, query), init).catch((error: Error) => {
      if (signal?.aborted) throw error
      throw new Error(`no Postern answers at ${origin}: ${(error.cause as Error | undefined)?.message ?? error.message}`, { cause: error })
    })
    const text = await response.text()
    const body = parse(text)
    if (!response.ok)
      throw new PosternError(`${method} ${path} was refused with ${response.status}: ${reasonOf(body)}`, response.status, body)
    return body as Answer
  },
})
