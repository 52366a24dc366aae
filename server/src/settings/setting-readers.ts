import { Resolver } from 'node:dns'
import { readNetworks } from '../delivery/send/address-guard.ts'
import { didYouMean } from '../lib/nearest.ts'
import { formatDuration, parseDuration } from '../lib/time.ts'
import { isRole, type Role, roleNames } from '../storage/roles.ts'
import { readEach } from './mistakes.ts'

// Each reads the text of one setting, or throws an Error whose message ends the sentence that begins with the setting's name.

export const words = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

export const anyText = (text: string) => text

export function choice<const Values extends readonly string[]>(...values: Values) {
  return (text: string): Values[number] => {
    if (!values.includes(text)) throw new Error(`must be one of ${values.join(', ')}, not "${text}"`)
    return text as Values[number]
  }
}

/** The roles of a process, each once, in their usual order. */
export function roleList(text: string): Role[] {
  const list = `a comma-separated list of ${roleNames.join(', ')}`
  const named = readEach(words(text), (word) => {
    if (!isRole(word)) throw new Error([`must be ${list}; "${word}" is no role`, didYouMean(word, roleNames)].filter(Boolean).join('.'))
    return word
  })
  if (named.length === 0) throw new Error(`must be ${list}, or unset for all of them; it names none`)
  const twice = named.find((role, place) => named.indexOf(role) !== place)
  if (twice !== undefined) throw new Error(`names ${twice} twice: name each role once`)
  return roleNames.filter((role) => named.includes(role))
}

export function port(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 65535) throw new Error(`must be a port from 0 to 65535 (0: any free one), not "${text}"`)
  return value
}

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 }

/** A number of bytes. */
export function bytes(text: string): number {
  const [, digits, unit = 'B'] = /^(\d{1,15})(B|KB|MB|GB|TB)?$/.exec(text) ?? []
  if (digits === undefined) throw new Error(`must be a size such as 500MB or 10GB, not "${text}"`)
  return Number(digits) * UNITS[unit]!
}

/** A duration, at least `leastMs` long. */
export const duration =
  (leastMs = 0) =>
  (text: string): number => {
    const ms = parseDuration(text)
    if (ms === undefined) throw new Error(`must be a duration such as 500ms, 10s, 5m or 1h, not "${text}"`)
    if (ms < leastMs) throw new Error(`must be at least ${formatDuration(leastMs)}, not "${text}"`)
    return ms
  }

export function origins(text: string): string[] {
  return readEach(words(text), (word) => {
    const url = URL.canParse(word) ? new URL(word) : undefined
    if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username)
      throw new Error(`must be a comma-separated list of origins such as https://api.example.com; "${word}" is not an origin`)
    return url.origin
  })
}

/** One origin. */
export function origin(text: string): string {
  const [first, ...others] = origins(text)
  if (first === undefined || others.length > 0) throw new Error(`must be one origin such as https://media.example.com, not "${text}"`)
  return first
}

export const networks = (text: string): string[] =>
  readEach(words(text), (cidr) => {
    readNetworks([cidr])
    return cidr
  })

/** The port of `10.0.0.53:5353` or `[fd00::53]:5353`. */
const PORT = /^(?:[\d.]+|\[.*\]):(\d+)$/

export function nameServers(text: string): string[] {
  const servers = words(text)
  try {
    // Node 24 accepts a port of any size.
    if (servers.some((server) => Number(PORT.exec(server)?.[1]) > 65_535)) throw new RangeError()
    new Resolver().setServers(servers)
  } catch {
    throw new Error(`must be a comma-separated list of addresses such as 10.0.0.53, 127.0.0.1:5353 or [fd00::53]:53, not "${text}"`)
  }
  return servers
}

export function absoluteUrl(text: string): string {
  if (!URL.canParse(text)) throw new Error(`must be an absolute URL, not "${text}"`)
  return text.replace(/\/+$/, '')
}

export function databaseUrl(text: string): string {
  if (!/^(sqlite:.+|postgres(ql)?:\/\/.+)$/.test(text)) throw new Error('must be sqlite:<file>, sqlite::memory: or postgres://…')
  return text
}

const MOST_LOGS = 16

const nth = (place: number) => `${place}${['th', 'st', 'nd', 'rd'][place < 4 ? place : 0]}`

/** The databases of the event log. What it says of a wrong one has no password. */
export function logUrlList(text: string): string[] {
  const urls = words(text)
  if (urls.length === 0 || urls.length > MOST_LOGS)
    throw new Error(`must name 1 to ${MOST_LOGS} PostgreSQL databases, postgres://…, comma-separated; it names ${urls.length}`)
  const wrong = urls.findIndex((url) => !/^postgres(ql)?:\/\/.+$/.test(url))
  if (wrong !== -1) throw new Error(`must name PostgreSQL databases, postgres://…; the ${nth(wrong + 1)} is none`)
  const twice = urls.findIndex((url, place) => urls.indexOf(url) !== place)
  if (twice !== -1) throw new Error(`names one database twice: the ${nth(urls.indexOf(urls[twice]!) + 1)} and the ${nth(twice + 1)}`)
  return urls
}

export const LEAST_SECRET_CHARACTERS = 32

/** One secret, or several, comma separated. */
export function secretList(text: string): string[] {
  const secrets = words(text)
  if (secrets.length === 0) throw new Error('must contain a secret')
  return secrets.map(secret)
}

export function secret(text: string): string {
  if (text.length < LEAST_SECRET_CHARACTERS) throw new Error(`must have at least ${LEAST_SECRET_CHARACTERS} characters`)
  return text
}
