// What `postern run` has every Node below it load first: NODE_OPTIONS=--require=<this file>.
const { leadHosts } = require('./lead-hosts.cjs')
const { patchLinks } = require('./patch-links.cjs')

/**
 * What `postern run` says to the processes that it starts.
 * @typedef {object} TakenOver
 * @property {readonly string[]} hosts
 * @property {number} port
 * @property {string} ca
 * @property {string} [pages] The origin of sign-in pages; without it links stay as they are.
 */

const { TAKEN_OVER_BY_POSTERN: given } = process.env

if (given) {
  /** @type {TakenOver} */
  const { hosts, port, ca, pages } = JSON.parse(given)
  leadHosts({ hosts: new Set(hosts), port, ca })
  if (pages) patchLinks(pages)
}
