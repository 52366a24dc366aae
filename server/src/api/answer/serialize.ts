import { writeExactJson } from '../../lib/numbers.ts'
import type { Translate } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import type { RawAnswer } from '../declare/raw-request.ts'
import { type Page, type Redirect, serializePage } from './page.ts'

type Headers = Record<string, string>

/** Writes what a handler answered; `translate` spells its member names in the dialect. */
export type SerializeAnswer = (endpoint: Endpoint, value: unknown, translate: Translate) => RawAnswer

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Clients of sign-in expect a form that says it is HTML (public practice). */
const FORM_TYPE = 'text/html;charset=utf-8'

/** Answers in JSON, or as a form where the endpoint says so. */
export const jsonAnswer =
  (headers: Headers): SerializeAnswer =>
  ({ success, answersForm }, value, translate) => ({
    status: success,
    headers: { ...headers, 'content-type': answersForm ? FORM_TYPE : JSON_TYPE },
    body: answersForm
      ? new URLSearchParams(value as Record<string, string>).toString()
      : writeExactJson(translate ? translate(value) : value),
  })

/** Answers as a page, or by sending the browser elsewhere. */
export const pageAnswer =
  (headers: Headers): SerializeAnswer =>
  (_, value) =>
    serializePage(value as Page | Redirect, headers)
