// Makes the bundle that `npm start` runs in a clone, unless there is one of the sources as they are:
//   node scripts/bundle-server.ts [--nice]
import {
  closeSync,
  existsSync,
  fsyncSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import { bundleOfNow, CACHE, ROOT } from '../server/src/kept-bundle.js'
import { bundle } from './bundle.ts'
import { GROUPS, INCLUDED } from './bundled.ts'

const LOWEST_PRIORITY = 19
/** A file that changed this lately may change again without a later time: some systems count in two seconds. */
const SETTLED_MS = 2500
/** A start that has found a bundle notes its use within this time. */
const NOTED_MS = 10 * 60 * 1000

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const runs = (folder: string) => readdirSync(folder).some((name) => name.endsWith('.pid') && isAlive(Number.parseInt(name, 10)))

/** Removes the bundles of other sources that no server runs any more. */
function removeOld(made: string) {
  const kept = [made, bundleOfNow()?.folder]
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name)
    const isOld = statSync(folder).mtimeMs < Date.now() - NOTED_MS
    if (!kept.includes(folder) && isOld && !runs(folder)) rmSync(folder, { recursive: true, force: true })
  }
}

/** Has the disk hold every file of a folder, so that a failure of power cannot leave empty ones under its later name. */
function sync(folder: string) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = openSync(join(entry.parentPath, entry.name), 'r+')
    fsyncSync(file)
    closeSync(file)
  }
}

/** Where another line of a source begins. */
const isNewLine = ([, source, line]: SourceMapSegment, at: number, segments: readonly SourceMapSegment[]) =>
  segments[at - 1]?.[1] !== source || segments[at - 1]?.[2] !== line

/** Leaves in the source maps what leads to lines: Node reads the whole map of a module with the first stack that goes through it. */
function shortenMaps(folder: string) {
  for (const name of globSync('**/*.map', { cwd: folder })) {
    const path = join(folder, name)
    const { version, sources, mappings } = JSON.parse(readFileSync(path, 'utf8'))
    const lines = decode(mappings).map((segments) => segments.filter(isNewLine).map((segment) => segment.slice(0, 4) as SourceMapSegment))
    writeFileSync(path, JSON.stringify({ version, sources, names: [], mappings: encode(lines) }))
  }
}

async function makeBundle() {
  const { changedMs } = bundleOfNow() ?? {}
  if (changedMs === undefined) return
  await setTimeout(Math.max(0, changedMs + SETTLED_MS - Date.now()))
  const now = bundleOfNow()
  if (!now || existsSync(now.folder) || now.changedMs > changedMs) return
  mkdirSync(CACHE, { recursive: true })
  const made = mkdtempSync(join(CACHE, 'new-'))
  try {
    const input = { sources: ['server/src'], entries: ['server/src/start.ts'], include: INCLUDED, groups: GROUPS }
    await bundle({ root: ROOT, files: ROOT, ...input }, made)
    shortenMaps(made)
    writeFileSync(join(made, 'package.json'), '{ "type": "module" }\n')
    sync(made)
    // A source that changed meanwhile may be in it, or not.
    if (bundleOfNow()?.folder === now.folder && !existsSync(now.folder)) renameSync(made, now.folder)
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(now.folder)) throw error
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  removeOld(now.folder)
}

if (process.argv.includes('--nice')) setPriority(LOWEST_PRIORITY)
await makeBundle()
