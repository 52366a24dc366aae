/** What a process may do. One of several that share a PostgreSQL may do a part of it. */
export const roleNames = ['api', 'delivery', 'stream'] as const

export type Role = (typeof roleNames)[number]

export const isRole = (text: string): text is Role => (roleNames as readonly string[]).includes(text)
