/**
 * How a challenge ended. `secret` is the place, among those it was made with, of the one that the answer is signed with.
 * `reason` is one sentence, without a full stop, from which an integrator can mend the endpoint.
 */
export type ChallengeResult = { passed: true; secret: number } | { passed: false; reason: string }
