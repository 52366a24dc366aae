import { createRequire } from 'node:module'

/**
 * What a start needs of `node:http`, loaded with require: an import evaluates every export, including the client of `fetch`, which takes 15
 * to 20 ms.
 */
export const { createServer, STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof import('node:http')
