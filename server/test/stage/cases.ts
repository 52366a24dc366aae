/** How many cases a test tries: few, or the many of the slow lane, which sets `POSTERN_TEST_MANY=1`. */
export const cases = (few: number, many: number): number => (process.env.POSTERN_TEST_MANY === '1' ? many : few)
