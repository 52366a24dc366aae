import type { Page, Redirect } from '../../api/answer/page.ts'
import type { App } from '../../storage/apps.ts'
import type { User } from '../../storage/users.ts'

/** What an app asks of a user, in OAuth 1.0a or 2.0, and what follows from the answer. */
export interface ApprovalRequest {
  app: App
  /** Where the browser goes afterwards; `oob` shows a PIN. */
  callback: string
  /** What the app will be able to do, as sentences, and what it will not. */
  asked: readonly string[]
  not: readonly string[]
  /** The path of the page and of its form. */
  path: string
  /** The parameters by which page and form name the request. */
  fields: Readonly<Record<string, string>>
  /** `cookie` is set by the answer. Undefined for a user who meanwhile got a new password or was disabled: nothing is granted. */
  allow(user: User, cookie?: string): Promise<Page | Redirect | undefined>
  deny(): Promise<Page | Redirect>
}

type Named = Pick<ApprovalRequest, 'path' | 'fields'>

/** A request whose user has to give the password, whoever has a session: its page and its form say so, and the proof is bound to it. */
export const withForcedLogin = <N extends Named>(named: N, isForced: boolean | undefined): N =>
  isForced ? { ...named, fields: { ...named.fields, force_login: 'true' } } : named

export const isLoginForced = ({ fields }: Named): boolean => fields.force_login !== undefined

/** The URL of the page of a request. */
export const pageOf = ({ path, fields }: Named, more: Record<string, string> = {}): string =>
  `${path}?${new URLSearchParams({ ...fields, ...more })}`

/** What the CSRF token of a form is bound to: the request that the form names. */
export const subjectOf = ({ path, fields }: Named): string => JSON.stringify([path, ...Object.entries(fields).sort()])
