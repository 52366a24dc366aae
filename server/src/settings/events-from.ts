import type { NatsPlace } from '../delivery/broker/nats/nats-place.ts'
import { didYouMean } from '../lib/nearest.ts'
import { certificates, readableFile, textOf } from './file-readers.ts'

const FORM = 'nats://user:password@host:4222?stream=EVENTS'
const DEFAULT_PORT = '4222'
const DEFAULT_DURABLE = 'postern'
const MOST_ACK_PENDING = 1_000_000

const parameters = ['stream', 'durable', 'filter_subject', 'deliver_policy', 'max_ack_pending', 'creds', 'ca', 'cert', 'key'] as const
type Parameter = (typeof parameters)[number]
type Given = Partial<Record<Parameter, string>>

/** The packages that take messages from NATS. The package `postern` does not bring them: few have a broker. */
const LIBRARIES = ['@nats-io/jetstream', '@nats-io/transport-node']

// No message here quotes the URL, which may hold a password.

function assertLibraries() {
  const missing = LIBRARIES.filter((name) => {
    try {
      import.meta.resolve(name)
      return false
    } catch {
      return true
    }
  })
  if (missing.length > 0)
    throw new Error(
      `names a server of NATS, for which Postern needs packages that are not there: install them beside postern (npm install ${missing.join(' ')})`,
    )
}

interface Server {
  address: string
  isEncrypted: boolean
  login: NatsPlace['login']
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('has a user, password or token with a % that begins no escape: write it as %25')
  }
}

function loginOf({ username, password }: URL): NatsPlace['login'] {
  if (username === '' && password === '') return undefined
  if (password === '') return { token: decoded(username) }
  return { user: decoded(username), pass: decoded(password) }
}

function readServer(text: string, place: number): Server {
  const url = URL.parse(text)
  if (!url || !/^(nats|tls):$/.test(url.protocol) || url.hostname === '')
    throw new Error(`must begin with nats:// or tls:// and a host, in each part before a comma, like ${FORM}; part ${place + 1} does not`)
  if (!/^\/?$/.test(url.pathname) || url.hash !== '') throw new Error(`must have no path and no fragment: it is like ${FORM}`)
  return { address: `${url.hostname}:${url.port || DEFAULT_PORT}`, isEncrypted: url.protocol === 'tls:', login: loginOf(url) }
}

/** A name that may be the rest of a password with a question mark is not shown. */
const shown = (name: string) => (/^[\w-]{1,32}$/.test(name) ? `: ${name}` : '')

function readParameters(query: string): Given {
  const given: Given = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (!(parameters as readonly string[]).includes(name))
      throw new Error(
        [`has a parameter that is not known${shown(name)}; there are ${parameters.join(', ')}`, didYouMean(name, parameters)]
          .filter(Boolean)
          .join('.'),
      )
    if (given[name as Parameter] !== undefined) throw new Error(`has the parameter ${name} twice: name it once`)
    if (value === '') throw new Error(`has the parameter ${name} without a value: give it one, or leave it out`)
    given[name as Parameter] = value
  }
  return given
}

/** Names of streams and consumers are parts of subjects and of file names. */
function assertName(parameter: Parameter, name: string) {
  if (!/^[^\s.*>/\\]{1,255}$/.test(name))
    throw new Error(`has the ${parameter} "${name}": a name has 1 to 255 characters, without spaces, dots, slashes, * and >`)
}

function assertSubject(subject: string) {
  if (!/^[^\s.>]+(\.[^\s.>]+)*(\.>)?$|^>$/.test(subject))
    throw new Error(`has the filter_subject "${subject}": it must be a subject such as events.user.> or events.*.created`)
}

function readPolicy(text = 'all'): 'all' | 'new' {
  if (text !== 'all' && text !== 'new') throw new Error(`has the deliver_policy "${text}": it must be all or new`)
  return text
}

function readMaxAckPending(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^\d{1,7}$/.test(text) || value < 1 || value > MOST_ACK_PENDING)
    throw new Error(`has the max_ack_pending "${text}": it must be a whole number from 1 to ${MOST_ACK_PENDING}`)
  return value
}

/** A file that a parameter names, read by one of the readers of settings. */
function fileOf(given: Given, parameter: Parameter, read: (path: string) => unknown): string | undefined {
  const path = given[parameter]
  if (path === undefined) return undefined
  try {
    read(path)
  } catch (error) {
    throw new Error(`has the parameter ${parameter}, which ${(error as Error).message}`)
  }
  return path
}

function assertCreds(path: string) {
  const text = textOf(path)
  if (!text.includes('BEGIN NATS USER JWT') || !text.includes('BEGIN USER NKEY SEED'))
    throw new Error(`names ${path}, which is no credentials file: it must hold a NATS USER JWT and a USER NKEY SEED`)
}

function readFiles(given: Given) {
  const files = {
    credsFile: fileOf(given, 'creds', assertCreds),
    caFile: fileOf(given, 'ca', certificates),
    certFile: fileOf(given, 'cert', certificates),
    keyFile: fileOf(given, 'key', readableFile),
  }
  if ((files.certFile === undefined) !== (files.keyFile === undefined))
    throw new Error('has one of the parameters cert and key: a certificate of the client needs both')
  return files
}

/** Who signs in: what the servers say, which is the same for all, or the credentials file. */
function loginTo(servers: readonly Server[], credsFile: string | undefined): NatsPlace['login'] {
  const logins = servers.map(({ login }) => login).filter((login) => login !== undefined)
  if (new Set(logins.map((login) => JSON.stringify(login))).size > 1)
    throw new Error('has different users, passwords or tokens: name one, at the first server')
  if (logins.length > 0 && credsFile !== undefined) throw new Error('has a user or token, and the parameter creds: name one of them')
  return credsFile === undefined ? logins[0] : { credsFile }
}

/**
 * Reads `nats://user:password@host:4222,nats://host2:4222?stream=EVENTS&durable=postern`; throws an Error whose message follows the name of
 * the setting and holds no secret. A user without a password is a token.
 */
export function eventsFrom(text: string): NatsPlace {
  const [before, query = ''] = text.split(/\?(.*)/s)
  const servers = before!.split(',').map((part, place) => readServer(part.trim(), place))
  const given = readParameters(query)
  const { stream, durable = DEFAULT_DURABLE, filter_subject: filterSubject } = given
  if (stream === undefined) throw new Error(`must name a stream with the parameter stream, like ${FORM}`)
  assertName('stream', stream)
  assertName('durable', durable)
  if (filterSubject !== undefined) assertSubject(filterSubject)
  const { credsFile, ...files } = readFiles(given)
  const place = {
    servers: servers.map(({ address }) => address),
    isEncrypted: servers.some(({ isEncrypted }) => isEncrypted),
    login: loginTo(servers, credsFile),
    ...files,
    stream,
    durable,
    filterSubject,
    deliverPolicy: readPolicy(given.deliver_policy),
    maxAckPending: readMaxAckPending(given.max_ack_pending),
  }
  assertLibraries()
  return place
}
