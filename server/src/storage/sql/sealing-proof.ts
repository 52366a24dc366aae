import type { Seal } from '../../lib/seal.ts'
import type { Metadata } from '../metadata.ts'

/** The metadata with a known value that was sealed when the database was made. */
export const SEALING_PROOF = 'sealing_proof'

/** Part of what is sealed, so it never changes; the table `metadata` was once called `facts`. */
const PURPOSE = 'facts.sealing_proof'
const KNOWN_VALUE = 'postern'

/** Throws when `seal` does not hold a secret that this database was sealed with. A fresh database takes the first secret as its own. */
export async function proveSeal(metadata: Metadata, seal: Seal): Promise<void> {
  const proof = await metadata.setIfAbsent(SEALING_PROOF, seal.seal(PURPOSE, KNOWN_VALUE))
  try {
    seal.open(PURPOSE, proof)
  } catch (cause) {
    throw new Error(
      'POSTERN_SECRET does not match the secret that encrypted this database. Set it to the former secret. To rotate it, put the new secret first and keep the old one: POSTERN_SECRET=<new>,<old>.',
      { cause },
    )
  }
}

/** Seals the proof with the first secret. False when it is so already. */
export async function reencryptProof(metadata: Metadata, seal: Seal): Promise<boolean> {
  const anew = seal.reencrypt(PURPOSE, (await metadata.get(SEALING_PROOF)) ?? '')
  if (anew !== undefined) await metadata.set(SEALING_PROOF, anew)
  return anew !== undefined
}
