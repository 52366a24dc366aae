import type { Seal } from '../../lib/seal.ts'
import type { Metadata } from '../metadata.ts'

/** The metadata key of a known value that was sealed when the database was created. */
export const SEALING_PROOF = 'sealing_proof'

/** The purpose is part of the encryption, so it never changes. The table `metadata` was once called `facts`. */
const PURPOSE = 'facts.sealing_proof'
const KNOWN_VALUE = 'postern'

/** Throws if `seal` has no secret with which this database was sealed, by its proof. A new database is sealed with the first secret. */
export async function proveSeal(metadata: Metadata, seal: Seal, known: string | undefined): Promise<void> {
  const proof = known ?? (await metadata.setIfAbsent(SEALING_PROOF, seal.seal(PURPOSE, KNOWN_VALUE)))
  try {
    seal.open(PURPOSE, proof)
  } catch (cause) {
    throw new Error(
      'POSTERN_SECRET does not match the secret that encrypted this database. Set it to the former secret. To rotate it, put the new secret first and keep the old one: POSTERN_SECRET=<new>,<old>.',
      { cause },
    )
  }
}

/** Re-encrypts the proof with the first secret. Returns false if it is already. */
export async function reencryptProof(metadata: Metadata, seal: Seal): Promise<boolean> {
  const reencrypted = seal.reencrypt(PURPOSE, (await metadata.get(SEALING_PROOF)) ?? '')
  if (reencrypted !== undefined) await metadata.set(SEALING_PROOF, reencrypted)
  return reencrypted !== undefined
}
