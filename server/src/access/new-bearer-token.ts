import { randomUrlText } from '../lib/crypto.ts'

const TOKEN_BYTES = 64

/** A new token; its first letters are those that scanners for leaked secrets look for. */
export const newBearerToken = (): string => `AAAAAAAAAAAAAAAAAAAAA${randomUrlText(TOKEN_BYTES)}`
