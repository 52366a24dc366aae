import { hashPassword, isPasswordHash } from '../../../lib/password.ts'

/** What is stored of a password that is given in plain text or as an argon2id hash. */
export const passwordHashOf = (password: string): string | Promise<string> => (isPasswordHash(password) ? password : hashPassword(password))
