import { createFailedAttempts } from '../../src/access/failed-attempts.ts'
import type { RateWindows } from '../../src/storage/rate-windows.ts'

/** Refuses nobody for having failed, and records nothing: for tests of which credentials are right. */
export const unlimited = (windows: RateWindows) =>
  createFailedAttempts({ limits: {}, windows, log: { record() {}, async flush() {} }, now: () => 0 })
