// Which hosts lead where in this process. The code in this folder runs in the processes of clients, from Node 18.19 on: it is JavaScript,
// and imports nothing but Node's own modules.

/**
 * A set of hosts that lead to a listener of Postern, with every name below them.
 * @typedef {object} Lead
 * @property {ReadonlySet<string>} hosts
 * @property {number | Promise<number>} port Where the listener is on loopback.
 * @property {string} ca The certificate that signs for the hosts, PEM.
 * @property {(socket: import('node:net').Socket) => void} [led] Told of each connection.
 */

/** Copies of this module in one process share what is active. */
const KEY = Symbol.for('postern.take-over.leads')

/** @type {{ active: Lead[] }} */
const shared = /** @type {any} */ (globalThis)[KEY] ?? { active: [] }
Object.defineProperty(globalThis, KEY, { value: shared, configurable: true })

/** @param {Lead} lead */
const addLead = (lead) => shared.active.push(lead)

/** @param {Lead} lead */
function removeLead(lead) {
  shared.active = shared.active.filter((other) => other !== lead)
}

/** The name as the table of hosts has it: without a dot at the end. @param {string} name */
const plain = (name) => name.toLowerCase().replace(/\.$/, '')

/** Whether a name is one of the hosts, or below one. @param {Iterable<string>} hosts @param {string} name */
const isAmong = (hosts, name) => [...hosts].some((host) => name === host || name.endsWith(`.${host}`))

/** Where a host leads, and every name below it: what was added last counts. @param {unknown} host @returns {Lead | undefined} */
function leadOf(host) {
  if (typeof host !== 'string' || shared.active.length === 0) return undefined
  const name = plain(host)
  return shared.active.findLast(({ hosts }) => isAmong(hosts, name))
}

const isAnyActive = () => shared.active.length > 0

module.exports = { addLead, removeLead, leadOf, isAmong, isAnyActive }
