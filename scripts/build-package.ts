import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, resolve } from 'node:path'
import { type BundleInput, bundle } from './bundle.ts'

const root = resolve(import.meta.dirname, '..')

/** A package as it is published: plain JavaScript with source maps and type declarations, made of the same sources that Node runs here. */
export interface PackageBuild {
  /** Where the package is written; what was there is removed. */
  out: string
  /** The folder that becomes the root of the package, from the root of the repository; `.` keeps every path as it is here. */
  from: string
  /** Folders of sources, from the root of the repository. */
  sources: readonly string[]
  /** The module whose declarations, and those that they refer to, are part of the package. */
  types: readonly string[]
  /** Written as few modules, if Node would take long to load one for each source. */
  bundle?: Pick<BundleInput, 'entries' | 'include' | 'groups'>
  /** Files and folders that are copied as they are. */
  copies: Readonly<Record<string, string>>
  /** Writes more files into it. */
  more?: (out: string) => Promise<void>
  /** Its package.json. */
  manifest: object
}

/** Another file of the package that a module or a declaration names. */
const RELATIVE_NAME = /(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g

const TSC = join(root, 'node_modules/typescript/bin/tsc')

/**
 * Runs the compiler on `files`; answers what it complains of, a line each. The check of types is that of `npm run types`. Each thread would
 * infer the types of most of the server again.
 */
function compile({ out, from }: PackageBuild, files: object, options: object): string[] {
  const config = join(out, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    rewriteRelativeImportExtensions: true,
    stripInternal: true,
    rootDir: join(root, from),
    outDir: out,
    typeRoots: [join(root, 'node_modules/@types')],
    ...options,
  }
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, exclude: [], ...files }))
  const { stdout } = spawnSync(process.execPath, [TSC, '--singleThreaded', '--pretty', 'false', '-p', config], {
    cwd: root,
    encoding: 'utf8',
  })
  rmSync(config)
  return stdout.split('\n').filter((line) => line !== '')
}

function failWith(complaints: readonly string[]) {
  if (complaints.length > 0) throw new Error(complaints.join('\n'))
}

/** A module for each source, with a map that holds the source. */
function writeModules(build: PackageBuild) {
  const include = build.sources.map((folder) => join(root, folder))
  failWith(compile(build, { include }, { sourceMap: true, inlineSources: true }))
}

/** Declarations of what users import. The compiler also tries those of everything else, and cannot name all types there. */
function writeDeclarations(build: PackageBuild) {
  const files = build.types.map((path) => join(root, path))
  const complaints = compile(build, { include: [], files }, { declaration: true, emitDeclarationOnly: true })
  failWith(complaints.filter((line) => build.types.some((path) => line.startsWith(`${dirname(path)}/`))))
  keepDeclarations(build)
}

/** The declarations that a module's own declaration refers to, itself included. */
function declarationsOf(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path) || !existsSync(path)) return found
  found.add(path)
  for (const [, name] of readFileSync(path, 'utf8').matchAll(RELATIVE_NAME))
    declarationsOf(join(dirname(path), name!.replace(/\.[tj]s$/, '.d.ts')), found)
  return found
}

function keepDeclarations({ out, types, from }: PackageBuild) {
  const wanted = new Set(types.flatMap((path) => [...declarationsOf(join(out, relative(from, path).replace(/\.ts$/, '.d.ts')))]))
  for (const path of globSync('**/*.d.ts', { cwd: out })) if (!wanted.has(join(out, path))) rmSync(join(out, path))
  for (const path of wanted)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/((?:from|import)\s*\(?\s*['"]\.[^'"]+)\.ts(['"])/g, '$1.js$2'))
}

/** What is copied: paths from the root of the repository, and where each is in the package. */
type Copies = Readonly<Record<string, string>>

/** Where a file of the repository is in the package; undefined if it is not there. */
function placeOf(path: string, copies: Copies): string | undefined {
  const found = Object.entries(copies).find(([from]) => path === from || path.startsWith(`${from}/`))
  return found && posix.join(found[1], path.slice(found[0].length))
}

/** A link of Markdown to another file of the repository, with an anchor or without. */
const LINK = /\[([^\]]+)\]\((?!https?:|mailto:|#|\/)([^)#\s]+)(#[^)\s]*)?\)/g

/** A page as it is in the package: its links lead to the copies of files, and what is not in the package is named without a link. */
const packageLinks = (page: string, path: string, copies: Copies): string =>
  page.replace(LINK, (_, text: string, target: string, anchor = '') => {
    const place = placeOf(posix.join(posix.dirname(path), target), copies)
    return place === undefined ? text : `[${text}](${posix.relative(posix.dirname(placeOf(path, copies)!), place)}${anchor})`
  })

/** Leads the links of copied pages to what is in the package. */
function writePages({ out, copies }: PackageBuild) {
  for (const [path, name] of Object.entries(copies))
    if (path.endsWith('.md')) writeFileSync(join(out, name), packageLinks(readFileSync(join(root, path), 'utf8'), path, copies))
}

/** Neither packages nor what a run leaves in a folder: databases, tokens, environments. */
const isCopied = (file: string) => !/^(\.|node_modules$)/.test(basename(file))

/** Writes a package into its folder, which `npm pack` and `npm publish` take. */
export async function buildPackage(build: PackageBuild): Promise<void> {
  rmSync(build.out, { recursive: true, force: true })
  mkdirSync(build.out, { recursive: true })
  if (build.bundle) await bundle({ root: join(root, build.from), sources: build.sources, ...build.bundle }, build.out)
  else writeModules(build)
  writeDeclarations(build)
  for (const [path, name] of Object.entries(build.copies))
    cpSync(join(root, path), join(build.out, name), { recursive: true, filter: isCopied })
  writePages(build)
  await build.more?.(build.out)
  writeFileSync(join(build.out, 'package.json'), `${JSON.stringify(build.manifest, undefined, 2)}\n`)
}
