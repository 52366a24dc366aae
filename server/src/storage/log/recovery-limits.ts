/** A recovery hands out this many untried deliveries of a webhook. One with more is parked: the rest stays in the log. */
export const HELD_PER_WEBHOOK = 250

/** Once a recovery has handed out this many, every webhook is parked. */
export const HELD_IN_TOTAL = 10_000
