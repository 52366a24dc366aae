import { writeExactJson } from '../../lib/numbers.ts'
import type { Translate } from '../declare/dialect.ts'
import { EndlessAnswer } from '../declare/endless-answer.ts'
import { type Endpoint, NO_CONTENT } from '../declare/endpoint.ts'
import type { RawAnswer } from '../declare/raw-request.ts'
import { type WriteOptions, WrittenAnswer } from '../declare/written-answer.ts'
import { JSON_TYPE, type JsonPage, type Page, type Redirect, serializePage } from './page.ts'

type Headers = Record<string, string>

/** What an answer is written with: `translate` spells the member names of plain values in the dialect. */
export interface AnswerOptions extends WriteOptions {
  translate: Translate
}

/** Writes what a handler answered. */
export type SerializeAnswer = (endpoint: Endpoint, value: unknown, options: AnswerOptions) => RawAnswer

export { JSON_TYPE } from './page.ts'

/** Clients of sign-in expect a form that says it is HTML (public practice). */
const FORM_TYPE = 'text/html;charset=utf-8'

/** Answers in JSON, or as a form where the endpoint says so; without a body if the status says so. */
export const jsonAnswer =
  (headers: Headers): SerializeAnswer =>
  ({ success, answersForm, mediaType, answersNothing }, value, options) => {
    if (value instanceof EndlessAnswer)
      return endlessAnswer(value, options, success, { ...headers, 'content-type': mediaType ? `${mediaType}; charset=utf-8` : JSON_TYPE })
    if (success === NO_CONTENT || answersNothing) return { status: success, headers: { ...headers }, body: '' }
    return {
      status: success,
      headers: { ...headers, 'content-type': answersForm ? FORM_TYPE : JSON_TYPE },
      body: answersForm ? new URLSearchParams(value as Record<string, string>).toString() : writeJson(value, options),
    }
  }

/** What is sent as it comes. A proxy that collected them would keep them from the client. */
const endlessAnswer = (answer: EndlessAnswer, options: WriteOptions, status: number, headers: Headers): RawAnswer => ({
  status,
  headers: { ...headers, 'x-accel-buffering': 'no' },
  body: '',
  endless: (outlet) => answer.open(outlet, options),
})

function writeJson(value: unknown, options: AnswerOptions): string | Buffer {
  if (value instanceof Written) return value.body
  return writeExactJson(options.translate ? options.translate(value) : value)
}

/** Answers as a page, or by sending the browser elsewhere. */
export const pageAnswer =
  (headers: Headers): SerializeAnswer =>
  (_, value) =>
    serializePage(value as Page | JsonPage | Redirect, headers)

/** What an answer's body holds: the value of the handler, and what the area puts beside it. */
export type Envelope = (value: unknown, echo: () => Record<string, unknown>) => unknown

export const plainBody: Envelope = (value) => value

/** The parameters of the request stand beside the answer (§2.4). */
export const besideRequest: Envelope = (value, echo) =>
  value instanceof WrittenAnswer ? new BesideRequest(value, echo()) : { request: { params: echo() }, ...(value as object) }

/** The JSON of an answer that was written already. */
export class Written {
  readonly body: string | Buffer

  constructor(body: string | Buffer) {
    this.body = body
  }
}

class BesideRequest extends WrittenAnswer {
  readonly #answer: WrittenAnswer
  readonly #params: object

  constructor(answer: WrittenAnswer, params: object) {
    super()
    this.#answer = answer
    this.#params = params
  }

  pieces(options: WriteOptions): Iterable<string> {
    return this.#answer.pieces(options, { request: { params: this.#params } })
  }
}
