const named = (more: unknown): string[] =>
  typeof more === 'string' ? ((JSON.parse(more) as { additional_owners?: string[] }).additional_owners ?? []) : []

/** The users whose media it is, from its columns `owner_id` and `more`: its owner, and those whom the upload named. Each may attach it. */
export const ownersOf = (owner: unknown, more: unknown): string[] => [...(typeof owner === 'string' ? [owner] : []), ...named(more)]
