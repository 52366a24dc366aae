import type { RecordWithTtl } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Clock, Timer } from '../../lib/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/time.ts'
import { SendFailure } from './outcome.ts'

const PATH = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

/** Parses a hosts file: each name, in lower case, with its addresses. Addresses with a zone are skipped. */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0 || address.includes('%')) continue
    for (const name of names) hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address])
  }
  return hosts
}

/** The hosts file of this machine; empty when there is none. */
const readHostsFile = async (): Promise<Map<string, string[]>> => parseHosts(await readFile(PATH, 'utf8').catch(() => ''))

const MAX_NAMES = 1000
/** Limit for each of IPv4 and IPv6. Other addresses of a name are ignored. */
const MAX_ADDRESSES = 8
const MAX_TTL_MS = MINUTE_MS
const MIN_TTL_MS = SECOND_MS
const HOSTS_FILE_TTL_MS = 5 * SECOND_MS
/** c-ares waits this long for the first response of a name server, and longer in later tries. */
const QUERY_TIMEOUT_MS = 2000
/** Once one of IPv4 and IPv6 has addresses, the other is waited for so long: some name servers never answer one of them (RFC 4074). */
const OTHER_FAMILY_MS = 300

interface Known {
  addresses: readonly string[]
  atMs: number
  ttlMs: number
}

export interface NameResolver {
  /** The addresses of a name, IPv4 first, at most eight of each family. Rejects with a `SendFailure` if there are none. */
  resolve(name: string): Promise<readonly string[]>
  close(): void
}

/**
 * Resolves names from the hosts file, then from DNS (`servers`, or the system's). Uses c-ares instead of getaddrinfo, whose few threads one
 * slow name server could block. Results are cached for their TTL, at most a minute.
 */
export function createNameResolver(clock: Clock, servers?: readonly string[]): NameResolver {
  const dns = new Resolver({ timeout: QUERY_TIMEOUT_MS })
  if (servers) dns.setServers(servers)
  const known = new LRUCache<string, Known>({ max: MAX_NAMES })
  const asking = new Map<string, Promise<readonly string[]>>()
  const hosts = createHosts(clock)

  const ask = async (name: string) => {
    const { addresses, ttlMs } = (await hosts.find(name)) ?? (await askDns(dns, name, clock))
    known.set(name, { addresses, atMs: clock.elapsed(), ttlMs })
    return addresses
  }

  const resolve = (name: string) => {
    const entry = known.get(name)
    if (entry && isFresh(clock, entry.atMs, entry.ttlMs)) return Promise.resolve(entry.addresses)
    let answer = asking.get(name)
    if (!answer) {
      answer = ask(name).finally(() => asking.delete(name))
      asking.set(name, answer)
    }
    return answer
  }

  return { resolve, close: () => dns.cancel() }
}

const isFresh = (clock: Clock, atMs: number, ttlMs: number) => clock.elapsed() < atMs + ttlMs

/** The hosts file, read at most every five seconds. `localhost` is loopback even without it (RFC 6761). */
function createHosts(clock: Clock) {
  let file = new Map<string, string[]>()
  let readMs = Number.NEGATIVE_INFINITY
  return {
    async find(name: string) {
      if (!isFresh(clock, readMs, HOSTS_FILE_TTL_MS)) {
        file = await readHostsFile()
        readMs = clock.elapsed()
      }
      const addresses = file.get(name) ?? (/(^|\.)localhost$/.test(name) ? ['127.0.0.1', '::1'] : undefined)
      return addresses && { addresses, ttlMs: HOSTS_FILE_TTL_MS }
    },
  }
}

/** The answers for both families, without one that is much later than the other's addresses. */
async function answersFor(queries: readonly Promise<RecordWithTtl[]>[], clock: Clock) {
  const tooLate = Promise.withResolvers<never>()
  let timer: Timer | undefined
  const isAnswered = Promise.any(queries).then(() => {
    timer = clock.after(OTHER_FAMILY_MS, () => tooLate.reject(Object.assign(new Error('too late'), { code: 'ETIMEOUT' })), {
      isUpkeep: true,
    })
  })
  isAnswered.catch(() => {})
  const answers = await Promise.allSettled(queries.map((query) => Promise.race([query, tooLate.promise])))
  timer?.cancel()
  return answers
}

async function askDns(dns: Resolver, name: string, clock: Clock) {
  const answers = await answersFor([dns.resolve4(name, { ttl: true }), dns.resolve6(name, { ttl: true })], clock)
  const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.slice(0, MAX_ADDRESSES) : []))
  if (records.length === 0) throw explain(name, answers)
  const ttlMs = Math.min(...records.map((record) => record.ttl)) * SECOND_MS
  return {
    addresses: records.map((record) => record.address),
    ttlMs: Math.min(MAX_TTL_MS, Math.max(MIN_TTL_MS, ttlMs)),
  }
}

function explain(name: string, answers: readonly PromiseSettledResult<unknown>[]): SendFailure {
  const codes = answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as NodeJS.ErrnoException).code : 'ENODATA'))
  const other = codes.find((code) => code !== 'ENOTFOUND' && code !== 'ENODATA')
  if (other === 'EBADNAME') return new SendFailure('name_not_resolved', `the name ${name} is not a valid host name: check the URL`)
  if (other) return new SendFailure('name_not_resolved', `the name ${name} could not be resolved: the name servers failed (${other})`)
  if (codes.includes('ENODATA'))
    return new SendFailure('name_not_resolved', `the name ${name} has no address: it needs an A or AAAA record`)
  return new SendFailure(
    'name_not_resolved',
    `the name ${name} does not exist: check the host of the URL, or wait until its DNS record is published`,
  )
}
