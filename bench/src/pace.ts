/** How long a run looks at each figure. */
export interface Pace {
  samples: number
  sampleMs: number
  warmMs: number
  /** How many times a process is started. */
  starts: number
  /** How many events a burst has. */
  burst: number
  /** How long events come at a steady rate, for each look. */
  steadyMs: number
  /** Pairs of runs, one with and one without callbacks that misbehave. */
  pairs: number
  pairMs: number
  /** How long a Postern is left alone before it counts as idle, and how long it is looked at then. */
  calmMs: number
  idleMs: number
  /** How many malformed requests are sent, at most. */
  malformed: number
  /** How many rows a long list has. */
  rows: number
}

/** Connections to PostgreSQL that nobody uses are closed within 30 s. */
export const fullPace: Pace = {
  ...{ samples: 5, sampleMs: 1500, warmMs: 1000, starts: 5 },
  ...{ burst: 20_000, steadyMs: 3000, pairs: 3, pairMs: 10_000, calmMs: 35_000, idleMs: 60_000, malformed: 200_000, rows: 1_000_000 },
}
export const quickPace: Pace = {
  ...{ samples: 3, sampleMs: 500, warmMs: 300, starts: 3 },
  ...{ burst: 5000, steadyMs: 1000, pairs: 1, pairMs: 3000, calmMs: 15_000, idleMs: 10_000, malformed: 20_000, rows: 50_000 },
}
