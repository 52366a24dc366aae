/**
 * The parts of the interface that share manners: how parameters arrive, what happens to unknown ones, and how a refusal is dressed.
 */
export interface Area {
  name: 'v2' | 'sign_in' | 'pages' | 'operator' | 'ads'
  /** How parameters of POST, PUT and PATCH arrive unless the endpoint says otherwise. */
  body: 'json' | 'form'
  unknownParameters: 'refused' | 'ignored'
  problems: 'problem+json' | 'codes' | 'page' | 'ads'
  /** Headers on every answer. */
  headers: Record<string, string>
}

/** The revision of the API description that is served (§9). */
export const API_REVISION = '2.165'

const NO_STORE = { 'cache-control': 'no-cache, no-store, max-age=0' }

const v2: Area = {
  name: 'v2',
  body: 'json',
  unknownParameters: 'refused',
  problems: 'problem+json',
  headers: { ...NO_STORE, 'api-version': API_REVISION },
}
const signIn: Area = { name: 'sign_in', body: 'form', unknownParameters: 'ignored', problems: 'codes', headers: NO_STORE }
/** What a browser shows. */
const pages: Area = { name: 'pages', body: 'form', unknownParameters: 'ignored', problems: 'page', headers: NO_STORE }
const operator: Area = { name: 'operator', body: 'json', unknownParameters: 'refused', problems: 'problem+json', headers: NO_STORE }

/** The version of the advertising API that is served (§9). */
export const ADS_VERSION = '12'

/** The advertising hosts. */
export const ads: Area = {
  name: 'ads',
  body: 'form',
  unknownParameters: 'ignored',
  problems: 'ads',
  headers: { ...NO_STORE, 'x-current-api-version': ADS_VERSION },
}

/** The area of a path on the general host: nothing of the advertising API is there. */
export const generalAreaOf = (path: string): Area => {
  const area = areaOf(path)
  return area === ads ? v2 : area
}

/** The area of a declared path. */
export function areaOf(path: string): Area {
  if (/^\/(?!2\/)\d+\//.test(path)) return ads
  if (path.startsWith('/operator')) return operator
  if (/^\/oauth\/(authorize|authenticate|explanations)\b/.test(path)) return pages
  if (path.startsWith('/oauth') || path.startsWith('/1.1/')) return signIn
  return v2
}
