// Leads sign-in links to Postern where they leave this process: what it prints, the Location of its answers, and programs that it starts
// to open a browser.
const { ChildProcess } = require('node:child_process')
const http = require('node:http')
const { linksTo } = require('./links.cjs')

/** @typedef {(text: string) => string} Replace */

/** Bytes stay bytes: links have ASCII alone. @param {Replace} replace @param {unknown} chunk */
function inChunk(replace, chunk) {
  if (typeof chunk === 'string') return replace(chunk)
  if (!(chunk instanceof Uint8Array)) return chunk
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
  const replaced = replace(text)
  return replaced === text ? chunk : Buffer.from(replaced, 'latin1')
}

/** @param {Replace} replace @param {NodeJS.WriteStream} stream */
function patchOutput(replace, stream) {
  const write = stream.write
  stream.write = /** @type {typeof write} */ (
    /** @this {NodeJS.WriteStream} @param {unknown} chunk @param {any[]} rest */
    function (chunk, ...rest) {
      return /** @type {any} */ (write).call(this, inChunk(replace, chunk), ...rest)
    }
  )
}

const isLocation = (/** @type {unknown} */ name) => typeof name === 'string' && name.toLowerCase() === 'location'

/** The headers of `writeHead`, as an object or as a list of names and values. @param {Replace} replace @param {any} headers */
function inHeaders(replace, headers) {
  if (Array.isArray(headers)) return headers.map((one, place) => (isLocation(headers[place - 1]) ? replace(String(one)) : one))
  if (typeof headers !== 'object' || headers === null) return headers
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isLocation(name) ? replace(String(value)) : value]))
}

/** @param {Replace} replace */
function patchAnswers(replace) {
  const { setHeader, writeHead } = http.ServerResponse.prototype
  const answers = /** @type {any} */ (http.ServerResponse.prototype)
  /** @param {string} name @param {any} value */
  answers.setHeader = function (name, value) {
    return setHeader.call(this, name, isLocation(name) && typeof value === 'string' ? replace(value) : value)
  }
  /** @param {number} status @param {any[]} rest */
  answers.writeHead = function (status, ...rest) {
    return /** @type {any} */ (writeHead).call(this, status, ...rest.map((one) => inHeaders(replace, one)))
  }
}

/** @param {Replace} replace */
function patchPrograms(replace) {
  const processes = /** @type {any} */ (ChildProcess.prototype)
  const { spawn } = processes
  /** @param {any} options */
  processes.spawn = function (options) {
    if (!Array.isArray(options?.args)) return spawn.call(this, options)
    return spawn.call(this, { ...options, args: options.args.map((/** @type {unknown} */ one) => replace(String(one))) })
  }
}

/** Leads sign-in links to Postern, until the process ends. @param {string} pages Its origin for browsers. */
function patchLinks(pages) {
  const replace = linksTo(pages)
  for (const stream of [process.stdout, process.stderr]) patchOutput(replace, stream)
  patchAnswers(replace)
  patchPrograms(replace)
}

module.exports = { patchLinks }
