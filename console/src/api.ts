import { signal } from '@preact/signals'
import { apiUrl } from './base.ts'
import { type Json, readJson, writeJson } from './exact-json.ts'

/** Who is signed in, and what that allows. */
export interface Operator {
  name: string | null
  role: 'read' | 'operate'
  expires_at: string
}

/** The app whose portal this browser has opened: its people see and do what is the app's, and nothing else. */
interface Portal {
  app_id: string
  app_name: string
  expires_at: string
}

export const portal = signal<Portal | null>(null)

const PORTAL = 'portal'

/** Whether this tab was in a portal last, also before it was loaded again. */
export const wasInPortal = () => sessionStorage.getItem(PORTAL) !== null

/** Whoever is in this tab is no guest of a portal any more. */
export const leavePortal = () => sessionStorage.removeItem(PORTAL)

/** Undefined until the server has said; null for nobody. */
export const operator = signal<Operator | null | undefined>(undefined)

/** Whether this browser has to give a token: on the machine of a development server it would be signed in again at once. */
export const needsToken = signal(false)

/** A refusal, or no answer, in a sentence. `status` is 0 without an answer. */
export class ApiError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** An answer: as JavaScript has it, and with its exact numbers. */
export interface Answer<Body> {
  body: Body
  exact: Json
}

/** Every call has it: no form and no link of another page can add it. */
const CONSOLE_HEADER = { 'x-postern-console': '1' }

interface Refusal {
  detail?: string
  title?: string
  errors?: { message?: string }[]
}

function sentenceOf(status: number, text: string): string {
  try {
    const { detail, title, errors = [] } = JSON.parse(text) as Refusal
    const said =
      errors
        .map(({ message }) => message)
        .filter(Boolean)
        .join(' ') ||
      detail ||
      title
    if (said) return said
  } catch {}
  return `The server answered ${status}.`
}

/** Sends a request of the console. Rejects with an `ApiError` for a refusal and without an answer. */
export async function send(
  method: string,
  url: URL,
  more: { json?: unknown; text?: string | undefined; headers?: Record<string, string>; signal?: AbortSignal } = {},
) {
  const { json, text = json === undefined ? undefined : JSON.stringify(json), headers, signal: aborted } = more
  const answer = await fetch(url, {
    method,
    headers: { ...CONSOLE_HEADER, ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: text ?? null,
    signal: aborted ?? null,
  }).catch((error) => {
    if (aborted?.aborted) throw error
    throw new ApiError(0, 'The server does not answer. Is it running? `npm start` starts it in a clone.')
  })
  if (answer.ok) return answer
  if (answer.status === 401) operator.value = null
  throw new ApiError(answer.status, sentenceOf(answer.status, await answer.text()))
}

async function call<Body>(method: string, path: string, more: Parameters<typeof send>[2]): Promise<Answer<Body>> {
  const answer = await send(method, apiUrl(path), more)
  const text = await answer.text()
  return { body: JSON.parse(text), exact: readJson(text) }
}

export const get = <Body>(path: string) => call<Body>('GET', path, {})

/** A call that changes something. */
export const act = <Body>(method: 'POST' | 'PATCH' | 'DELETE', path: string, json: unknown = {}) => call<Body>(method, path, { json })

/** The same with JSON whose numbers are exact. */
export const actExactly = <Body>(method: 'POST', path: string, json: Json) => call<Body>(method, path, { text: writeJson(json, '') })

const begin = async (path: string, headers?: Record<string, string>) => {
  portal.value = null
  leavePortal()
  const { body } = await call<{ data: { operator: Operator } }>('POST', path, { json: {}, ...(headers && { headers }) })
  operator.value = body.data.operator
}

/** The token is sent this once, and kept nowhere. */
export const signIn = (token: string) => begin('session', { authorization: `Bearer ${token}` })

/** What is behind the # of a link is sent this once. */
export async function openPortal(token: string) {
  const { body } = await call<{ data: { portal: Portal } }>('POST', 'portal-session', { json: { token } })
  inPortal(body.data.portal)
}

function inPortal(opened: Portal) {
  portal.value = opened
  sessionStorage.setItem(PORTAL, '')
  operator.value = { name: null, role: 'operate', expires_at: opened.expires_at }
}

export async function signOut() {
  await send('DELETE', apiUrl('session'))
  operator.value = null
  return ''
}

/** Asks who is signed in; a browser on the machine of a development server is signed in without a token. */
export async function findSession() {
  const { body } = await get<{ data: { operator: Operator | null; portal: Portal | null; needs_token: boolean } }>('session')
  needsToken.value = body.data.needs_token
  if (body.data.portal) return inPortal(body.data.portal)
  if (!body.data.operator && !body.data.needs_token) return begin('local-session')
  if (body.data.operator) leavePortal()
  operator.value = body.data.operator
}

export const mayOperate = () => operator.value?.role === 'operate' && !portal.value

/** What the portal of an app may do for it as well: resend, replay, rotate its secret. */
export const mayActForApp = () => operator.value?.role === 'operate'
