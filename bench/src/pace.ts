/** How long a run looks at each figure. */
export interface Pace {
  samples: number
  sampleMs: number
  warmMs: number
  /** How many times a process is started. */
  starts: number
  /** How many malformed requests are sent, at most. */
  malformed: number
}

export const fullPace: Pace = { samples: 5, sampleMs: 2000, warmMs: 2000, starts: 5, malformed: 200_000 }
export const quickPace: Pace = { samples: 3, sampleMs: 500, warmMs: 300, starts: 3, malformed: 20_000 }
