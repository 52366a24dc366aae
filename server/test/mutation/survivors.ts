/** Mutants that no test can tell from the original, or need not, each with the reason. Anything else that survives is a missing test. */
export const survivors: Readonly<Record<string, string>> = {
  'server/src/delivery/retry-plan.ts: 0 → 1': 'A retry is a millisecond later at least, so a missing Retry-After may count as 0 or 1.',
}
