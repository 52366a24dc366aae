/** How many minutes a poll may be open, in a post and on a card (§4.7). */
export const POLL_MINUTES = { min: 5, max: 10_080 } as const

/** How many characters an option of a poll may have. */
export const POLL_OPTION_LENGTH = 25
