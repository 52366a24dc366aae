import { readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** A package of the lock file. */
interface Locked {
  version: string
  license?: string
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

type Lock = Readonly<Record<string, Locked>>

/** What a bill of materials is made for. */
export interface BillInput {
  name: string
  version: string
  description: string
  /** An SPDX identifier. */
  license: string
  /** Packages that npm installs with it. */
  dependencies: readonly string[]
  /** Packages that users install if they need them. */
  optional: readonly string[]
  /** Packages that are written into its files. Their own dependencies must be named too. */
  bundled: readonly string[]
}

/** A component as CycloneDX 1.6 has it. */
export interface Component {
  type: 'library' | 'application'
  'bom-ref': string
  group?: string
  name: string
  version: string
  description?: string
  scope?: 'required' | 'optional'
  hashes?: { alg: string; content: string }[]
  licenses: ({ license: { id: string } } | { expression: string })[]
  purl: string
  properties?: { name: string; value: string }[]
}

/** A software bill of materials: CycloneDX 1.6 as JSON. */
export interface Bill {
  bomFormat: 'CycloneDX'
  specVersion: '1.6'
  version: 1
  metadata: { lifecycles: { phase: 'build' }[]; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** Where Node finds a package that the one at `from` imports: in its own folder, or in one above. */
function pathOf(name: string, from: string, lock: Lock): string | undefined {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const path = folder === '.' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (path in lock) return path
    if (folder === '.') return undefined
  }
}

/** The paths of what a package depends on. Optional packages that the lock file does not have are left out. */
function dependenciesOf(path: string, lock: Lock): string[] {
  const { dependencies = {}, optionalDependencies = {} } = lock[path]!
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => {
    const found = pathOf(name, path, lock)
    if (found === undefined && !(name in optionalDependencies)) throw new Error(`the lock file has no ${name} for ${path}`)
    return found ?? []
  })
}

/** The paths of some packages and of all that they bring. */
function closureOf(paths: readonly string[], lock: Lock, found = new Set<string>()): Set<string> {
  for (const path of paths) {
    if (found.has(path)) continue
    found.add(path)
    closureOf(dependenciesOf(path, lock), lock, found)
  }
  return found
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** https://github.com/package-url/purl-spec: the `@` of a scope is escaped. */
const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** `ISC`, or an expression such as `(MIT OR Apache-2.0)`. */
const licencesOf = (text: string): Component['licenses'] => [/[ (]/.test(text) ? { expression: text } : { license: { id: text } }]

/** `sha512-<base64>` of npm, as CycloneDX writes it. */
function hashesOf(integrity: string): NonNullable<Component['hashes']> {
  const [, content = ''] = /^sha512-(\S+)/.exec(integrity) ?? []
  return [{ alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') }]
}

function componentOf(path: string, lock: Lock, part: Pick<Component, 'scope' | 'properties'>): Component {
  const { version, license, integrity } = lock[path]!
  const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(nameOf(path))!
  if (license === undefined || integrity === undefined) throw new Error(`the lock file has no license or no integrity of ${path}`)
  const purl = purlOf(nameOf(path), version)
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group && { group }),
    name: name!,
    version,
    ...part,
    hashes: hashesOf(integrity),
    licenses: licencesOf(license),
    purl,
  }
}

/**
 * The bill of materials of a package, from the lock file: what npm installs with it, what is written into its files, and what users install
 * only if they need it, each with what it brings. Two builds of one commit make the same. `npm sbom` would miss what is in the files.
 */
export function billOfMaterials({ name, version, description, license, ...parts }: BillInput): Bill {
  const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const pathsOf = (names: readonly string[]) => names.map((one) => `node_modules/${one}`)
  const bundled = new Set(pathsOf(parts.bundled))
  const required = new Set([...closureOf(pathsOf(parts.dependencies), lock), ...bundled])
  const all = closureOf([...required, ...pathsOf(parts.optional)], lock)
  const refOf = (path: string) => purlOf(nameOf(path), lock[path]!.version)
  const refsOf = (paths: readonly string[]) => [...new Set(paths.map(refOf))].sort()
  // The lock file can place one version of a package in several folders.
  const placed = [...Map.groupBy(all, refOf)].sort(([one], [other]) => (one < other ? -1 : 1))
  const own = purlOf(name, version)
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { type: 'application', 'bom-ref': own, name, version, description, licenses: licencesOf(license), purl: own },
    },
    components: placed.map(([, paths]) =>
      componentOf(paths[0]!, lock, {
        scope: paths.some((path) => required.has(path)) ? 'required' : 'optional',
        ...(paths.some((path) => bundled.has(path)) && { properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }] }),
      }),
    ),
    dependencies: [
      { ref: own, dependsOn: refsOf([...pathsOf(parts.dependencies), ...bundled, ...pathsOf(parts.optional)]) },
      ...placed.map(([ref, paths]) => ({ ref, dependsOn: refsOf(paths.flatMap((path) => dependenciesOf(path, lock))) })),
    ],
  }
}
