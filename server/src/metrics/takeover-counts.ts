import type { Family } from './family.ts'

/** Counts processes that ended without a shutdown, as far as this process took over what they held. */
export function createTakeoverCounts() {
  let processes = 0
  let deliveries = 0
  return {
    tookOver(ended: number, held: number) {
      processes += ended
      deliveries += held
    },
    families: (): Family[] => [
      {
        type: 'counter',
        name: 'postern_takeovers_total',
        help: 'Processes that ended without a shutdown, were frozen or cut off, and whose work this process took over.',
        samples: [{ labels: {}, value: processes }],
      },
      {
        type: 'counter',
        name: 'postern_deliveries_taken_over_total',
        help: 'Deliveries that those processes held.',
        samples: [{ labels: {}, value: deliveries }],
      },
    ],
  }
}
