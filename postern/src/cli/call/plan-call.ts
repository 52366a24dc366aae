import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { Failure, wrongUsage } from '../failure.ts'
import { nameAndValue } from '../read-values.ts'

type Parameter = readonly [name: string, value: string]

/** A request as it is sent: at most one of `json`, `form` and `multipart`. */
export interface PlannedCall {
  method: string
  /** With the query. */
  url: URL
  json?: string
  form?: readonly Parameter[]
  multipart?: FormData
}

/** A value of a JSON body: a text, unless it is spelled as something else; ids stay texts. */
function jsonValue(value: string): unknown {
  try {
    return /^(true|false|[[{].*)$/s.test(value) ? JSON.parse(value) : value
  } catch {
    throw wrongUsage(`${value} is not JSON.`)
  }
}

/** A multipart body with the parameters; the value of a file is `@` and its path. */
async function multipartOf(parameters: readonly Parameter[]): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of parameters) {
    if (!value.startsWith('@')) form.append(name, value)
    else {
      const file = await openAsBlob(value.slice(1)).catch((error: Error) => {
        throw new Failure(error.message)
      })
      form.append(name, file, basename(value.slice(1)))
    }
  }
  return form
}

export interface WantedCall {
  method: string
  url: URL
  /** `name=value` each; one that begins with `{` or `[` is the body as it is. */
  parameters: readonly string[]
}

const isBody = (parameter: string) => /^\s*[[{]/.test(parameter)

/** Where the parameters of a call go: the query, JSON, a form or a multipart body. */
export async function planCall({ method, url, parameters }: WantedCall): Promise<PlannedCall> {
  const [json, another] = parameters.filter(isBody)
  if (another !== undefined) throw wrongUsage('A call has one body.')
  const pairs = parameters.filter((parameter) => !isBody(parameter)).map(nameAndValue)
  const hasBody = method !== 'GET' && method !== 'DELETE'
  if (!hasBody || json !== undefined) {
    for (const [name, value] of pairs) url.searchParams.append(name, value)
    return { method, url, json }
  }
  if (pairs.some(([, value]) => value.startsWith('@'))) return { method, url, multipart: await multipartOf(pairs) }
  if (!/^\/(2|operator)\//.test(url.pathname)) return { method, url, form: pairs }
  return { method, url, json: JSON.stringify(Object.fromEntries(pairs.map(([name, value]) => [name, jsonValue(value)]))) }
}
