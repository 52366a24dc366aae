import { resolve } from 'node:path'

const SQLITE = 'sqlite:'
const MEMORY = ':memory:'

/** Which database a URL names, without credentials and parameters. */
export function describeDatabase(url: string): string {
  if (!url.startsWith(SQLITE)) {
    const { host, pathname } = new URL(url)
    return `PostgreSQL ${host}${pathname}`
  }
  const path = url.slice(SQLITE.length)
  return path === MEMORY ? 'SQLite in memory' : `SQLite ${resolve(path)}`
}
