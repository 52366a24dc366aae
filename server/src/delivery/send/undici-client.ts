import { createRequire } from 'node:module'
import type { Client as UndiciClient } from 'undici'

/** undici's client and nothing else of it: what its index loads besides (fetch, caches, mocks) takes longer than all of the sender. */
export const Client = createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as typeof UndiciClient
