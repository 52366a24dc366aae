/** The metadata key of a restored copy that may send nothing yet: since when, as an ISO time. Empty once it is released. */
export const HELD_SINCE = 'held_since'
