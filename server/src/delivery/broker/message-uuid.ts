import { sha256 } from '../../lib/crypto.ts'
import type { SourceMessage } from './event-source.ts'

type Named = Pick<SourceMessage, 'streamLife' | 'sequence' | 'producerId'>

/** Derived uuids are negative: those of Postern are not. Their 63 bits begin with 1 if the rest is a hash, and with 0 if it has a sequence. */
const HASHED = 1n << 62n
const SEQUENCE_BITS = 40n
const LIFE_BITS = 22n

/** The first bits of a hash, as a number. */
const hashOf = (text: string, bits: bigint): bigint => sha256(text).readBigUInt64BE() >> (64n - bits)

/**
 * The `event_uuid` of an event whose message gives none, at its place in the message: the same with every delivery, so that the event log
 * keeps one. Two messages of a producer with one id are one event. Without ids the sequence is in the uuid, so that no two messages of a
 * stream have the same by chance.
 */
export function messageUuid({ streamLife, sequence, producerId }: Named, place: number): string {
  if (producerId !== undefined) return `-${HASHED + hashOf(JSON.stringify([streamLife, producerId, place]), 62n)}`
  if (place > 0) return `-${HASHED + hashOf(JSON.stringify([streamLife, sequence, place]), 62n)}`
  return `-${(hashOf(streamLife, LIFE_BITS) << SEQUENCE_BITS) + (BigInt(sequence) & ((1n << SEQUENCE_BITS) - 1n))}`
}
