import http from 'node:http'
import https from 'node:https'
import { addLead, isAnyActive, removeLead } from './leads.js'
import { patchConnections } from './patch-connections.js'

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
 * @param {import('./leads.js').Lead} lead
 * @returns {() => void}
 */
export function leadHosts(lead) {
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
