// Leads connections of this process to Postern: every TCP connection of Node passes `Socket.prototype.connect`, that of `http`, `https`,
// `fetch`, undici and HTTP/2 included, and every TLS connection passes `tls.connect`. Agents and pools of before are led too.
const dns = require('node:dns')
const { errorMonitor } = require('node:events')
const { syncBuiltinESMExports } = require('node:module')
const net = require('node:net')
const tls = require('node:tls')
const { leadOf } = require('./leads.cjs')

/** @typedef {import('./leads.cjs').Lead} Lead */
/** @typedef {Record<string, any>} Options */
/** @typedef {(...parameters: any[]) => any} AnyFunction */

const LOOPBACK = '127.0.0.1'

/**
 * Options and callback of `connect(options)`, `connect(port, host)` and what Node itself makes of both, a list.
 * @param {any[]} given @returns {{ options: Options, callback: AnyFunction | undefined }}
 */
function connectArguments(given) {
  const [first, ...rest] = Array.isArray(given[0]) ? given[0] : given
  const callback = [first, ...rest].findLast((one) => typeof one === 'function')
  if (typeof first === 'object' && first !== null) return { options: first, callback }
  const more = rest.find((one) => typeof one === 'object' && one !== null)
  const host = typeof rest[0] === 'string' ? { host: rest[0] } : {}
  return { options: { port: first, ...host, ...more }, callback }
}

/** @param {string} host @param {Lead} lead */
const isGone = (host, { port }) => `${host} leads to Postern, and no Postern listens on port ${port} any more: it was stopped`

/**
 * Connects to the listener in place of the host. The name is never looked up.
 * @this {net.Socket} @param {AnyFunction} connect @param {Lead} lead @param {Options} options @param {AnyFunction | undefined} callback
 */
function connectLed(connect, lead, options, callback) {
  const { lookup: _, localAddress: __, localPort: ___, hints: ____, ...kept } = options
  /** @param {number} port */
  const go = (port) => connect.call(this, { ...kept, host: LOOPBACK, port, family: 4 }, callback)
  const explain = (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code === 'ECONNREFUSED') error.message = `${isGone(options.host, lead)} (${error.message})`
  }
  this.once(errorMonitor, explain)
  this.once('connect', () => this.off(errorMonitor, explain))
  lead.led?.(this)
  if (typeof lead.port === 'number') return go(lead.port)
  // As while a name is looked up: what is written waits.
  Object.assign(this, { connecting: true })
  lead.port.then(
    (port) => void (this.destroyed || go(port)),
    (error) => this.destroy(error),
  )
  return this
}

/** @param {AnyFunction} connect */
const ledConnect = (connect) =>
  /** @this {net.Socket} @param {any[]} given */
  function (...given) {
    const { options, callback } = connectArguments(given)
    const lead = options.path ? undefined : leadOf(options.host)
    return lead ? connectLed.call(this, connect, lead, options, callback) : connect.apply(this, given)
  }

/** Trusts the lead's authority for its hosts alone: no other connection knows it. @param {AnyFunction} connect */
const ledTlsConnect =
  (connect) =>
  /** @param {any[]} given */
  (...given) => {
    const { options, callback } = connectArguments(given)
    const name = options.servername || options.host
    const lead = leadOf(name)
    if (!lead) return connect(...given)
    const { secureContext: _, ca = [], ...rest } = options
    // A client that looked the name up itself knows an address only; it is led by the name that it wants to see in the certificate.
    const host = options.socket || options.path || leadOf(options.host) ? {} : { host: name }
    return connect({ ...rest, ...host, ca: [ca, lead.ca].flat() }, callback)
  }

/** Answers loopback for the hosts, so that no client learns where they are. @param {AnyFunction} lookup */
const ledLookup =
  (lookup) =>
  /** @param {string} name @param {any[]} rest */
  (name, ...rest) =>
    lookup(leadOf(name) ? LOOPBACK : name, ...rest)

/** @type {[object: any, name: string, wrap: (original: any) => any][]} */
const patches = [
  [net.Socket.prototype, 'connect', ledConnect],
  [tls, 'connect', ledTlsConnect],
  [dns, 'lookup', ledLookup],
  [dns.promises, 'lookup', ledLookup],
]

/** Wraps what makes connections; answers what undoes it. What somebody else has wrapped since stays, and leads nowhere without leads. */
function patchConnections() {
  const made = patches.map(([object, name, wrap]) => {
    const original = object[name]
    const wrapper = Object.defineProperties(wrap(original), Object.getOwnPropertyDescriptors(original))
    object[name] = wrapper
    return () => {
      if (object[name] === wrapper) object[name] = original
    }
  })
  syncBuiltinESMExports()
  return () => {
    for (const undo of made) undo()
    syncBuiltinESMExports()
  }
}

module.exports = { patchConnections }
