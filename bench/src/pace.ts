/** How long a run looks at each figure. */
export interface Pace {
  samples: number
  sampleMs: number
  warmMs: number
  /** How many times a process is started. */
  starts: number
  /** How long events come at a steady rate, for each look. */
  steadyMs: number
  /** Pairs of runs, one with and one without callbacks that misbehave. */
  pairs: number
  pairMs: number
  idleMs: number
}

export const fullPace: Pace = {
  ...{ samples: 5, sampleMs: 2000, warmMs: 2000, starts: 5 },
  ...{ steadyMs: 4000, pairs: 3, pairMs: 12_000, idleMs: 60_000 },
}
export const quickPace: Pace = {
  ...{ samples: 3, sampleMs: 500, warmMs: 300, starts: 3 },
  ...{ steadyMs: 1000, pairs: 1, pairMs: 4000, idleMs: 10_000 },
}
