/** The parts of the interface that differ in how they read and answer; `api/areas.ts` has a row for each. */
export type AreaName = 'v2' | 'sign_in' | 'oauth2' | 'pages' | 'v2_pages' | 'operator' | 'ads'

/** The revision of the API description that is served (§9). */
export const API_REVISION = '2.165'

/** The version of the advertising API that is served (§9). */
export const ADS_VERSION = '12'

/** How parameters of POST, PUT and PATCH arrive in an area, unless the endpoint says otherwise. */
export const bodyFormats: Record<AreaName, 'json' | 'form'> = {
  v2: 'json',
  sign_in: 'form',
  oauth2: 'form',
  pages: 'form',
  v2_pages: 'form',
  operator: 'json',
  ads: 'form',
}

/** Whether an area is read by browsers. */
export const isOfPages = (area: AreaName): boolean => area === 'pages' || area === 'v2_pages'

/** The area of a path on the general host, which serves nothing of the advertising API. */
export function generalAreaNameOf(path: string): AreaName {
  if (path.startsWith('/operator')) return 'operator'
  if (/^\/(oauth\/(authorize|authenticate|explanations)|i\/oauth2\/authorize)\b/.test(path)) return 'pages'
  if (/^\/2\/oauth2\/authorize\b/.test(path)) return 'v2_pages'
  if (path.startsWith('/2/oauth2/')) return 'oauth2'
  if (path.startsWith('/oauth') || path.startsWith('/1.1/')) return 'sign_in'
  return 'v2'
}

/** The area of a declared path. */
export const areaNameOf = (path: string): AreaName => (/^\/(?!2\/)\d+\//.test(path) ? 'ads' : generalAreaNameOf(path))
