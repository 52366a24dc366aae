import { existsSync, readFileSync } from 'node:fs'

/** In the repository the package has a folder of its own; in what is published its manifest is at the top. */
const PLACES = ['../../package.json', '../../../package.json']

/** The version of the package. */
export function version(): string {
  const place = PLACES.map((path) => new URL(path, import.meta.url)).find((path) => existsSync(path))!
  return JSON.parse(readFileSync(place, 'utf8')).version
}
