/** Mutants that no test can tell from the original, or need not, each with the reason. Anything else that survives is a missing test. */
export const survivors: Readonly<Record<string, string>> = {}
