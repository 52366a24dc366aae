/**
 * How a challenge ended. `secret` is the place, among those it was made with, of the one that the answer is signed with.
 * `reason` is one sentence, without a full stop, from which an integrator can mend the endpoint. `details` is the same, but
 * hides nothing: it is for the operator alone.
 */
export type ChallengeResult = { passed: true; secret: number } | { passed: false; reason: string; details: string }
