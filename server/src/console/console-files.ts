import { spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { sha256Hex } from '../lib/crypto.ts'
import { lazyAsync } from '../lib/lazy.ts'

/** The console as it is served: `console.json` of its build. */
export interface Build {
  /** The module that starts it. */
  entry: string
  style: string
  /** All files, by their names, which change with their contents. */
  files: readonly string[]
}

export interface ConsoleFiles {
  /** Builds the console if its sources have changed. Rejects with `NotBuilt` where it cannot. */
  build(): Promise<Build>
  /** A file of a build, as gzip; undefined for what is none. */
  read(name: string): Promise<Buffer | undefined>
}

/** Why there is no console: in one sentence, with what to do. */
export class NotBuilt extends Error {}

const ROOT = resolve(import.meta.dirname, '../../..')
const SOURCES = join(ROOT, 'console/src')
/** Where the package has it. */
const PACKAGED = join(ROOT, 'console/dist')
const CACHE = join(ROOT, 'node_modules/.cache/postern-console')

/** What a build is made of; another version of a tool makes another one. */
const INPUTS = ['package.json', 'console/package.json', 'console/tsconfig.json', 'console/build.ts', 'console/src/**/*.*']

const HASH_LENGTH = 16

async function hashOfInputs(): Promise<string> {
  const paths = INPUTS.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort()
  const texts = await Promise.all(paths.map(async (path) => `${path}\n${await readFile(join(ROOT, path), 'utf8')}`))
  return sha256Hex(texts.join('\n')).slice(0, HASH_LENGTH)
}

const TOOLS_MISSING = 'npm install'

/** Runs the bundler in a process of its own: it takes tens of megabytes that the server would keep. */
function runBuild(out: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const child = spawn(process.execPath, [join(ROOT, 'console/build.ts'), out], { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  child.on('error', reject).on('close', (code) => {
    if (code === 0) return resolve()
    if (/ERR_MODULE_NOT_FOUND|UNRESOLVED_IMPORT|[Cc]ould not resolve/.test(said))
      return reject(
        new NotBuilt(
          `What builds the console is not installed: ${TOOLS_MISSING} in the folder of Postern brings it. Everything else works.`,
        ),
      )
    reject(new Error(`the console could not be built: ${said.trim()}`))
  })
  return promise
}

/** Builds beside the place, and moves the whole there: another process may do the same. */
async function buildInto(folder: string) {
  await mkdir(dirname(folder), { recursive: true })
  const made = await mkdtemp(`${folder}-`)
  try {
    await runBuild(made)
    await rename(made, folder).catch((error) => {
      if (!existsSync(join(folder, 'console.json'))) throw error
    })
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/**
 * The console of the package is built. That of a clone is built at its first request, and again when a source has changed; builds are kept
 * below `node_modules/.cache` by the hash of what they are made of.
 */
export function createConsoleFiles(): ConsoleFiles {
  const isClone = existsSync(SOURCES)
  const builds = new Map<string, () => Promise<Build>>()
  /** Where each file is; those of former builds, too, for pages that are open. */
  const folders = new Map<string, string>()

  const load = async (folder: string): Promise<Build> => {
    const build: Build = JSON.parse(await readFile(join(folder, 'console.json'), 'utf8'))
    for (const name of build.files) folders.set(name, folder)
    return build
  }

  const makeIn = (folder: string) =>
    lazyAsync(async () => {
      if (isClone && !existsSync(join(folder, 'console.json'))) await buildInto(folder)
      return load(folder)
    })

  return {
    async build() {
      const folder = isClone ? join(CACHE, await hashOfInputs()) : PACKAGED
      const make = builds.get(folder) ?? makeIn(folder)
      builds.set(folder, make)
      return make()
    },
    async read(name) {
      const folder = folders.get(name)
      return folder === undefined ? undefined : readFile(join(folder, `${name}.gz`))
    },
  }
}
