/**
 * The memory of a thread that writes memberships: a small young generation, because the rows of a batch would only be copied around in a
 * large one, and an old one that is collected before it is large.
 */
export const WRITER_MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 }
