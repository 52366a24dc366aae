import { createRequire } from 'node:module'

/** The reason phrases of HTTP statuses. Loaded with require, because an import evaluates every export of `node:http`, including the client of `fetch`, which takes 20 ms. */
export const STATUS_CODES: Readonly<Record<number, string | undefined>> = createRequire(import.meta.url)('node:http').STATUS_CODES
