/** How a callback answers: at once, never, with 500, or one byte a second. */
export type Manner = 'well' | 'hangs' | 'fails' | 'trickles'

/** Of each 100 callbacks one hangs and five answer 500; of all of them one trickles. */
export function mannerOf(place: number): Manner {
  if (place === 1) return 'trickles'
  if (place % 100 === 0) return 'hangs'
  return place % 20 === 5 ? 'fails' : 'well'
}
