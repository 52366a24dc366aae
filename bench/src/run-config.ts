/** How many samples a run takes, and how long they are. */
export interface RunConfig {
  samples: number
  sampleMs: number
  warmUpMs: number
  /** How many times a process is started. */
  starts: number
  /** Events in a burst. */
  burst: number
  /** Length of each sample at a steady rate. */
  steadyMs: number
  /** Pairs of runs, one with and one without faulty callbacks. */
  pairs: number
  pairMs: number
  /** How long Postern must be without load before it counts as idle, and how long it is then observed. */
  settleMs: number
  idleMs: number
  /** The most malformed requests that are sent. */
  malformed: number
  /** Rows of a long list. */
  rows: number
}

/** Idle connections to PostgreSQL are closed within 30 s, so `settleMs` is longer. */
export const fullRun: RunConfig = {
  samples: 5,
  sampleMs: 1500,
  warmUpMs: 1000,
  starts: 5,
  burst: 20_000,
  steadyMs: 3000,
  pairs: 3,
  pairMs: 10_000,
  settleMs: 35_000,
  idleMs: 60_000,
  malformed: 200_000,
  rows: 1_000_000,
}
export const quickRun: RunConfig = {
  samples: 3,
  sampleMs: 500,
  warmUpMs: 300,
  starts: 3,
  burst: 5000,
  steadyMs: 1000,
  pairs: 1,
  pairMs: 3000,
  settleMs: 15_000,
  idleMs: 10_000,
  malformed: 20_000,
  rows: 50_000,
}
