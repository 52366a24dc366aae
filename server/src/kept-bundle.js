// The bundle of a clone: few modules instead of a thousand, made of the sources by an earlier start. JavaScript, because it comes before what
// reads TypeScript.
const { hash } = process.getBuiltinModule('node:crypto')
const { existsSync, readdirSync, statSync, writeFileSync } = process.getBuiltinModule('node:fs')
const { join } = process.getBuiltinModule('node:path')
const { pathToFileURL } = process.getBuiltinModule('node:url')

export const ROOT = join(import.meta.dirname, '../..')

/** Holds a folder for each state of the sources. */
export const CACHE = join(ROOT, 'node_modules/.cache/postern-server')

/** What a bundle is made of besides the sources of the server; the last says which version of every package is installed. */
const INPUTS = ['package.json', 'scripts/bundle.ts', 'scripts/bundle-server.ts', 'scripts/bundled.ts', 'node_modules/.package-lock.json']

/** How long after the line `ready` the next bundle is made: then nobody waits for what the server does. */
const QUIET_MS = 5000

/** @param {string} folder @returns {string[]} */
const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesIn(path) : [path]
  })

/**
 * The folder of the bundle of the sources as they are, and when the last of them changed. No file is read: nothing changes a file and leaves
 * its ctime. Undefined where an input is missing.
 */
export function bundleOfNow() {
  let changedMs = 0
  try {
    const lines = [...INPUTS.map((path) => join(ROOT, path)), ...filesIn(join(ROOT, 'server/src'))].map((path) => {
      const { size, ctimeMs, ino } = statSync(path)
      changedMs = Math.max(changedMs, ctimeMs)
      return `${path} ${size} ${ctimeMs} ${ino}`
    })
    return { folder: join(CACHE, hash('sha256', lines.join('\n')).slice(0, 32)), changedMs }
  } catch {
    return undefined
  }
}

/** The address of the module of a bundle that starts the server; undefined when there is no bundle of the sources as they are. */
export function findBundle() {
  const bundle = bundleOfNow()
  const start = bundle && join(bundle.folder, 'server/src/start.js')
  return start && existsSync(start) ? pathToFileURL(start).href : undefined
}

/** Makes a bundle in a process of its own, which yields to every other; nothing is done where the bundler is not installed. */
function makeBundleLater() {
  if (!existsSync(join(ROOT, 'node_modules/rolldown'))) return
  setTimeout(() => {
    const { spawn } = process.getBuiltinModule('node:child_process')
    const child = spawn(process.execPath, [join(ROOT, 'scripts/bundle-server.ts'), '--nice'], { cwd: ROOT, stdio: 'ignore' })
    child.on('error', () => {}).unref()
  }, QUIET_MS).unref()
}

/**
 * Once the server is ready: notes that this process runs a bundle, whose modules it still loads, or makes one for the next start.
 * @param {string | undefined} bundle its address, as it was found
 */
export function keepBundle(bundle) {
  if (bundle === undefined) return makeBundleLater()
  try {
    writeFileSync(new URL(`../../${process.pid}.pid`, bundle), '')
  } catch {
    // Where nothing can be written, nothing is removed.
  }
}
