import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CodeSplittingNameFunction, type Plugin, rolldown } from 'rolldown'

/** Sources that become few modules: the loader of Node takes most of a start if it must find, read and link a thousand. */
export interface BundleInput {
  /** The folder that is the root of the package. */
  root: string
  /** The folders of the sources, from the root. */
  sources: readonly string[]
  /** Modules that somebody imports by their path, from the root. Modules of threads need not be named. */
  entries: readonly string[]
  /** Packages that become part of the bundle. Every other one stays a dependency. */
  include: readonly string[]
  /** Matches the folders of modules that are imported later, each of which becomes one module as far as nothing else needs it. */
  groups?: RegExp
  /** Where the files are that modules name beside themselves, unless they are copied into the bundle: the root of the sources. */
  files?: string
}

/** A module that a thread starts with, which its creator names in a URL. */
const MODULE_URL = /new URL\(\s*'(\.[^']+)\.ts',\s*import\.meta\.url\s*\)/g

/** Stands for the root of the bundle until it is known in which folder a module of it is. */
const ROOT = '/@root/'

/** Not what has been replaced in the URL of a module. */
const NOT_OF_MODULE = new RegExp(`(?<!${ROOT}[^']*', )import\\.meta\\.url`, 'g')

/** Stands for the root of files that modules name beside themselves. */
const FILES = '/@files/'

const ROOT_IN_TEXT = new RegExp(`(import\\.meta\\.dirname \\+ )?(['"])(${ROOT}|${FILES})`, 'g')

/** The modules of threads, from the root. */
function threadModules({ root, sources }: BundleInput): string[] {
  const files = sources.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
  return files.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(MODULE_URL)].map(([, name]) => join(dirname(path), `${name}.ts`)),
  )
}

/** Lets a module name files from where it was in the sources, wherever the bundle has it. */
function keepPlaces({ root, files }: BundleInput): Plugin {
  const place = (id: string) => relative(root, id).replace(/\.ts$/, '.js')
  return {
    name: 'keep-places',
    resolveId(source, importer) {
      // A client's process loads it by its path, and it must be the same module here.
      if (source.endsWith('.cjs') && importer && !importer.includes('/node_modules/'))
        return { id: join(dirname(importer), source), external: true }
      return undefined
    },
    transform(code, id) {
      if (!code.includes('import.meta.') || id.includes('/node_modules/')) return undefined
      const placed = code
        .replace(/import\.meta\.dirname/g, `(import.meta.dirname + '${FILES}${dirname(place(id))}')`)
        .replace(MODULE_URL, (_, name) => `new URL('${ROOT}${join(dirname(place(id)), name)}.js', import.meta.url)`)
        .replace(NOT_OF_MODULE, `new URL('${FILES}${place(id)}', import.meta.url).href`)
      return { code: placed, map: null }
    },
    renderChunk(code, { fileName }) {
      const up = relative(dirname(fileName), '.') || '.'
      const placed = code.replace(ROOT_IN_TEXT, (_, before = '', quote, place) => {
        if (place === ROOT || files === undefined) return `${before}${quote}${before && '/'}${up}/`
        return `${quote}${before ? files : pathToFileURL(files).href}/`
      })
      return { code: placed, map: null }
    },
  }
}

/** An import of a module of Node, as the bundler prints it. */
const NODE_IMPORT = /^import (?:([\w$]+)(?:, )?)?(?:\* as ([\w$]+)|\{([^}]*)\})? from "(node:[\w/]+)";$/gm

/** What the entries import at once, and they themselves: file names of chunks. */
function chunksAtOnce({ entries }: BundleInput, chunks: Readonly<Record<string, { imports: string[] }>>): Set<string> {
  const atOnce = new Set(entries.map((path) => path.replace(/\.ts$/, '.js')))
  for (const name of atOnce) for (const imported of chunks[name]?.imports ?? []) atOnce.add(imported)
  return atOnce
}

/**
 * Takes modules of Node as objects. An import makes a module of each, and to name what it exports Node loads everything that it otherwise
 * loads when it is used: streams with `node:fs`, the parts of `node:crypto`. What loads at once keeps its imports, for there a Node that is
 * too old says so.
 */
const takeNodeModules = (input: BundleInput): Plugin => ({
  name: 'take-node-modules',
  renderChunk(code, { fileName }, _options, { chunks }) {
    if (chunksAtOnce(input, chunks).has(fileName)) return undefined
    const taken = code.replace(NODE_IMPORT, (_, name, all, names: string | undefined, id) => {
      const targets = [name, all, names && `{${names.replace(/ as /g, ': ')}}`].filter(Boolean)
      return `const ${targets.map((target) => `${target} = process.getBuiltinModule("${id}")`).join(', ')};`
    })
    return { code: taken, map: null }
  },
})

/**
 * Names the chunk of each module by why it is loaded: by which entries, by which modules that are imported later, or, if nothing else needs
 * it, by which groups of such modules. What a module imports is loaded whenever it is, so chunks never import each other in a circle.
 */
function createChunkName({ root, entries, groups = /(?!)/ }: BundleInput & { entries: readonly string[] }): CodeSplittingNameFunction {
  const reasons = new Map<string, Set<string>>()
  const isGroup = (reason: string) => groups.exec(`${reason}/`)?.[0] === reason
  const reasonOf = (id: string): string => {
    const path = relative(root, id)
    return groups.exec(path)?.[0] ?? path
  }

  const walk = (graph: Parameters<CodeSplittingNameFunction>[1]) => {
    const later = new Set(entries.map((path) => join(root, path)))
    for (const first of later) {
      const reason = reasonOf(first)
      const waiting = [first]
      for (const id of waiting) {
        const known = reasons.get(id) ?? new Set<string>()
        if (known.has(reason)) continue
        reasons.set(id, known.add(reason))
        const { importedIds = [], dynamicallyImportedIds = [] } = graph.getModuleInfo(id) ?? {}
        waiting.push(...importedIds)
        for (const imported of dynamicallyImportedIds) later.add(imported)
      }
    }
  }

  return (id, graph) => {
    if (reasons.size === 0) walk(graph)
    if (entries.includes(relative(root, id))) return null
    const all = [...(reasons.get(id) ?? [])].sort()
    const without = all.filter((reason) => !isGroup(reason))
    const counted = without.length > 0 ? without : all
    return `${basename(counted[0] ?? id).replace(/\.[jt]s$/, '')}-${createHash('sha1').update(counted.join()).digest('hex').slice(0, 8)}`
  }
}

/** Writes the sources into `out` as few modules, each entry at the path that it has here, with source maps that hold the sources. */
export async function bundle(input: BundleInput, out: string): Promise<void> {
  const { root, include } = input
  const entries = [...new Set([...input.entries, ...threadModules(input)])]
  const isIncluded = (name: string) => include.some((one) => name === one || name.startsWith(`${one}/`))
  const build = await rolldown({
    input: Object.fromEntries(entries.map((path) => [path.replace(/\.[jt]s$/, ''), join(root, path)])),
    cwd: root,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    external: (id) => !/^[./]/.test(id) && !isIncluded(id),
    plugins: [keepPlaces(input), takeNodeModules(input)],
    onLog(level, log) {
      // An endpoint of the map that is loaded at the start all the same, because a resource is declared beside it.
      if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') return
      throw new Error(`${level}: ${log.message}`)
    },
  })
  await build.write({
    dir: out,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: createChunkName({ ...input, entries }), debugName: 'by reason' }],
    },
  })
  await build.close()
}
