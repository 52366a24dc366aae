import { createHash } from 'node:crypto'
import { IDENTIFIER_BYTES, type IdentifierKind, identifierKinds } from '../../../../storage/memberships/packed-batch.ts'

const HASH_BYTES = IDENTIFIER_BYTES - 1
const HEX_DIGITS = HASH_BYTES * 2

/** What is hashed, in its normal form (§4.6, public practice). */
const hashedForms = {
  email: 'the email address, trimmed and in lower case',
  device_id: 'the device id: an IDFA in lower case with dashes, an Android id in lower case without',
  handle: 'the handle without @, trimmed and in lower case',
  service_id: 'the user id in digits',
  phone_number: 'the phone number in digits, with the country code',
} as const satisfies Partial<Record<IdentifierKind, string>>

type HashedKind = keyof typeof hashedForms

const isHashed = (kind: IdentifierKind): kind is HashedKind => kind in hashedForms

/** Both spellings of the dialects are read. */
const spellings: Record<string, IdentifierKind> = {
  ...Object.fromEntries(Object.keys(identifierKinds).map((kind) => [kind, kind as IdentifierKind])),
  twitter_id: 'service_id',
}

/** The kind of identifier that a key of a user names, of those that an endpoint takes. */
export const kindOf = (key: string, taken: readonly IdentifierKind[]): IdentifierKind | undefined => {
  const kind = Object.hasOwn(spellings, key) ? spellings[key] : undefined
  return kind && taken.includes(kind) ? kind : undefined
}

/** What a value of a kind must be, for a message. */
export const expectationOf = (kind: IdentifierKind): string =>
  isHashed(kind) ? `the SHA-256 of ${hashedForms[kind]}, as ${HEX_DIGITS} hex digits` : 'a text that is not empty'

/** Writes the 32 bytes of an identifier: a hash as it came, in either case; the hash of what comes as it is. False for what is neither. */
export function writeIdentifier(kind: IdentifierKind, value: unknown, bytes: Buffer, at: number): boolean {
  if (typeof value !== 'string') return false
  if (isHashed(kind)) return value.length === HEX_DIGITS && bytes.write(value, at, 'hex') === HASH_BYTES
  if (value === '') return false
  createHash('sha256').update(value).digest().copy(bytes, at)
  return true
}
