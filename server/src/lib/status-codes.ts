import { createRequire } from 'node:module'

/** What HTTP calls its statuses. Not imported: that would load all that `node:http` can be asked for, the client of `fetch` too, for 20 ms. */
export const STATUS_CODES: Readonly<Record<number, string | undefined>> = createRequire(import.meta.url)('node:http').STATUS_CODES
