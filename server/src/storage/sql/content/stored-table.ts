import { type ContentTable, users } from '../../content-tables.ts'

/** Where counters and profiles of a table are stored: those of users stand in `profiles`. */
export const storedTable = ({ name, key }: ContentTable) => (name === users.name ? { name: 'profiles', key: 'user_id' } : { name, key })
