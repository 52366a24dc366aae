import type { ErrorDetail } from '../../../api/declare/problem.ts'
import { HIDDEN_VALUE } from '../../../api/declare/secret-words.ts'
import { text } from '../../../api/declare/words.ts'
import { hashPassword, isPasswordHash, looksLikeHash } from '../../../lib/password.ts'

const MIN_LENGTH = 8
const MAX_LENGTH = 500

const description = 'Plain text, or an argon2id hash in PHC format.'

/** A password that an operator sets. */
export const newPassword = () => text({ min: MIN_LENGTH, max: MAX_LENGTH, description: `The new password. ${description}`, secret: true })

/** A password in a seed. A shorter one is for development. */
export const seededPassword = () => text({ max: MAX_LENGTH, description, secret: true })

/** An error about a password. Its value is not repeated. */
const errorAt = (path: string, rule: string): ErrorDetail => ({ message: `$.${path}: ${rule}`, parameters: { [path]: [HIDDEN_VALUE] } })

/** Errors about a password that would be stored as something else than was meant: a hash that cannot be used must not become a password. */
export const unusablePassword = (password: string, path: string): ErrorDetail[] =>
  looksLikeHash(password) && !isPasswordHash(password)
    ? [errorAt(path, 'must be plain text, or an argon2id hash in PHC format of at most 256 MiB, 10 passes and 8 lanes')]
    : []

/** Errors about a password of a seed that production refuses: one that an operator could not set. */
export const weakPassword = (password: string, path: string): ErrorDetail[] =>
  [...password].length < MIN_LENGTH ? [errorAt(path, `must be at least ${MIN_LENGTH} characters long in production`)] : []

/** What is stored of a password that is given in plain text or as an argon2id hash. */
export const passwordHashOf = (password: string): string | Promise<string> => (isPasswordHash(password) ? password : hashPassword(password))
