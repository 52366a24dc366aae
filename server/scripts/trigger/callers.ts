/** An app of the seed, with its credentials. */
export interface SeededApp {
  name: string
  key: string
  secret: string
}

export type Json = Record<string, unknown>

/** Calls Postern and returns the JSON of its answer. Rejects with a sentence where there is none, or a refusal. */
export async function callJson(url: string, authorization: string, options: { json?: unknown; form?: string } = {}): Promise<Json> {
  const { json, form } = options
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json'
  const sent = json === undefined ? form : JSON.stringify(json)
  const request = sent === undefined ? {} : { method: 'POST', body: sent }
  const headers = { authorization, ...(sent !== undefined && { 'content-type': type }) }
  const response = await fetch(url, { ...request, headers }).catch((error) => {
    throw new Error(`${new URL(url).origin}: ${error.cause ?? error}; start Postern with npm start`)
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${response.statusText} from ${url}\n${text}`)
  return JSON.parse(text)
}

/** The bearer token of an app. */
export async function bearerOf(origin: string, { key, secret }: SeededApp): Promise<string> {
  const basic = `Basic ${Buffer.from(`${encodeURIComponent(key)}:${encodeURIComponent(secret)}`).toString('base64')}`
  const { access_token } = await callJson(`${origin}/oauth2/token`, basic, { form: 'grant_type=client_credentials' })
  return `Bearer ${access_token}`
}
