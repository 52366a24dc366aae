/** Whether this is the slow lane, which sets `POSTERN_TEST_MANY=1`. */
export const isSlowLane = process.env.POSTERN_TEST_MANY === '1'

/** How many cases a test tries: few, or the many of the slow lane. */
export const cases = (few: number, many: number): number => (isSlowLane ? many : few)
