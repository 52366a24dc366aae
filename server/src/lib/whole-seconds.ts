/** Milliseconds since 1970 as the advertising API writes a moment: UTC, in whole seconds (`2026-03-01T12:00:00Z`). */
export const wholeSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
