import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { isAmong } from '../client/leads.cjs'
import { proxyUrl } from '../front/admission.ts'

/** The certificates of a file that the user had named; none when it cannot be read. */
function read(path: string | undefined): string {
  try {
    return path ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}

/** The authorities that this machine trusts; those of Node where the system has none that Node can read. */
function ofSystem(): string {
  const system = getCACertificates('system')
  return (system.length > 0 ? system : getCACertificates('bundled')).join('\n')
}

/** A bundle for programs that trust one file and nothing beside it: what they trusted before, and Postern's authority. */
const bundleWith = (ca: string, before: string | undefined): string => `${read(before) || ofSystem()}\n${ca}`

/** A bundle for programs that trust it beside what they trust anyway. */
const extraWith = (ca: string, before: string | undefined): string => `${read(before)}\n${ca}`

type Environment = Record<string, string | undefined>

/** What children are told. */
interface TakenOverBy {
  hosts: readonly string[]
  /** Of the front. */
  port: number
  /** What other hosts are reached with through the front. */
  password: string
  ca: string
  /** The origin of the pages where users sign in; undefined when links stay as they are. */
  pages: string | undefined
}

/** The variables that a child gets, and the files that they name. */
interface ChildEnvironment extends Disposable {
  variables: Environment
}

const PRELOAD = join(import.meta.dirname, '../client/preload.cjs')

/** A path as NODE_OPTIONS takes it: spaces are in quotes. */
const quoted = (path: string) => `"${path.replace(/["\\]/g, '\\$&')}"`

/** Programs read one or the other. */
const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

/** Files of authorities that replace those that a program trusts: OpenSSL, Python, curl, Deno, and what is built on them. */
const BUNDLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'HTTPLIB2_CA_CERTS']

/** Files of authorities that programs trust beside their own: Node and Bun, Deno. */
const EXTRAS = ['NODE_EXTRA_CA_CERTS', 'DENO_CERT']

const NOT_PROXIED = ['localhost', '127.0.0.1', '::1']

/** Whether an entry of NO_PROXY (`*`, `.x.com`, `x.com`) keeps one of the hosts, or a name below one, from the proxy. */
const covers = (entry: string, hosts: readonly string[]) => {
  const name = entry
    .toLowerCase()
    .replace(/^\*?\./, '')
    .replace(/:\d+$/, '')
  return entry === '*' || isAmong(hosts, name) || hosts.some((host) => isAmong([name], host))
}

/** The names that go past the proxy: this machine, and those of before, as long as no taken-over host is among them. */
function noProxy({ NO_PROXY, no_proxy }: Environment, hosts: readonly string[]): string {
  const before = (no_proxy ?? NO_PROXY ?? '').split(/[\s,]+/).filter((entry) => entry !== '' && !covers(entry, hosts))
  return [...new Set([...NOT_PROXIED, ...before])].join(',')
}

/** Makes the environment that leads a program and everything below it to the front. Its files are removed when it is disposed. */
export function environmentOf(before: Environment, { hosts, port, password, ca, pages }: TakenOverBy): ChildEnvironment {
  const folder = mkdtempSync(join(tmpdir(), 'postern-run-'))
  const proxy = proxyUrl(port, password)
  const file = (name: string, text: string) => {
    const path = join(folder, `${name}.pem`)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const each = (names: readonly string[], value: (name: string) => string) => Object.fromEntries(names.map((name) => [name, value(name)]))
  const not = noProxy(before, hosts)
  const variables = {
    ...before,
    NODE_OPTIONS: [before.NODE_OPTIONS, `--require=${quoted(PRELOAD)}`].filter(Boolean).join(' '),
    TAKEN_OVER_BY_POSTERN: JSON.stringify({ hosts, port, ca, pages }),
    ...each(PROXY_VARIABLES, () => proxy),
    ...each(['NO_PROXY', 'no_proxy'], () => not),
    ...each(BUNDLES, (name) => file(name, bundleWith(ca, before[name]))),
    ...each(EXTRAS, (name) => file(name, extraWith(ca, before[name]))),
  }
  return { variables, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
