// The endpoints, loaded: what scripts and tests walk.

import { type Listed, loadEndpoints } from '../src/api/declare/map.ts'
import * as development from '../src/development/endpoints.ts'
import * as production from '../src/endpoints/index.ts'

const load = (map: readonly Listed[]) => loadEndpoints(map)

export const generalEndpoints = await load(production.generalEndpoints)
export const adsEndpoints = await load(production.adsEndpoints)
export const operatorEndpoints = await load(production.operatorEndpoints)
export const developmentPages = await load(development.developmentPages)
export const developmentEndpoints = await load(development.developmentEndpoints)

/** The whole map: what development serves. */
export const allEndpoints = [...generalEndpoints, ...adsEndpoints, ...developmentPages, ...operatorEndpoints, ...developmentEndpoints]
