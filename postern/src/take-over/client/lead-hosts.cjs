const http = require('node:http')
const https = require('node:https')
const { addLead, isAnyActive, removeLead } = require('./leads.cjs')
const { patchConnections } = require('./patch-connections.cjs')

/** Copies of this module in one process share the patch. */
const KEY = Symbol.for('postern.take-over.undo')
const shared = /** @type {any} */ (globalThis)

/** Ends the idle connections of the agents that everybody shares, so that nothing goes on where it led before. */
function endIdleConnections() {
  for (const { freeSockets } of [http.globalAgent, https.globalAgent])
    for (const socket of Object.values(freeSockets).flat()) socket?.destroy()
}

/**
 * Leads hosts to a listener of Postern, for all connections of this process from now on. Answers what undoes it, in any order of several.
 * @param {import('./leads.cjs').Lead} lead
 * @returns {() => void}
 */
function leadHosts(lead) {
  if (!isAnyActive()) shared[KEY] ??= patchConnections()
  addLead(lead)
  endIdleConnections()
  return () => {
    removeLead(lead)
    endIdleConnections()
    if (isAnyActive()) return
    shared[KEY]?.()
    shared[KEY] = undefined
  }
}

module.exports = { leadHosts }
