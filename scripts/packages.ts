import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildConsole } from '../console/build.ts'
import { type Bill, billOfMaterials } from './bill-of-materials.ts'
import type { PackageBuild } from './build-package.ts'
import { GROUPS, INCLUDED } from './bundled.ts'

const root = resolve(import.meta.dirname, '..')

interface Manifest {
  name: string
  version: string
  description: string
  license: string
  engines: Record<string, string>
  bin: Record<string, string>
  dependencies?: Record<string, string>
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

/**
 * Packages of the server that users install only if they need them: for media in a bucket (`storage/media-files/open-media-files.ts`), for events
 * from a broker (`settings/events-from.ts`), and for a collector of OpenTelemetry (`telemetry/load-telemetry.ts`).
 */
const OPTIONAL = [
  '@aws-sdk/client-s3',
  '@nats-io/jetstream',
  '@nats-io/transport-node',
  '@opentelemetry/exporter-metrics-otlp-proto',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace',
]

/** Packages that are written into the console. */
const IN_CONSOLE = ['@preact/signals', '@preact/signals-core', 'preact', 'uplot']

/** What is published says which commit of which repository it was built from. */
const PUBLISHED = { access: 'public', provenance: true }

/** Dependencies of the workspaces that are in the package, without the workspaces themselves. */
function dependenciesOf(folders: readonly string[]): Record<string, string> {
  const all = folders.flatMap((folder) => Object.entries(manifestOf(folder).dependencies ?? {}))
  const external = all.filter(([name]) => !name.startsWith('@postern/') && ![...OPTIONAL, ...INCLUDED].includes(name))
  return Object.fromEntries(external.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function posternManifest(): object {
  const { name, version, description, license, engines, bin } = manifestOf('postern')
  const optional = OPTIONAL.map((one) => [one, `^${manifestOf('server').dependencies?.[one]}`])
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    publishConfig: PUBLISHED,
    engines,
    exports: { '.': { types: './postern/src/index.d.ts', default: './postern/src/index.js' }, './package.json': './package.json' },
    bin: { postern: `postern/${bin.postern}` },
    dependencies: dependenciesOf(['server', 'postern']),
    peerDependencies: Object.fromEntries(optional),
    peerDependenciesMeta: Object.fromEntries(OPTIONAL.map((one) => [one, { optional: true }])),
  }
}

/** The bill of materials of the package `postern`. */
export function posternBill(): Bill {
  const { name, version, description, license } = manifestOf('postern')
  return billOfMaterials({
    name,
    version,
    description,
    license,
    dependencies: Object.keys(dependenciesOf(['server', 'postern'])),
    optional: OPTIONAL,
    bundled: [...INCLUDED, ...IN_CONSOLE],
  })
}

/** The file with the licence of an installed package. */
const licenceOf = (name: string) => globSync(`node_modules/${name}/LICENSE*`, { cwd: root })[0]!

const asTheyAre = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, path]))

/** What its users read. The reference, with the description of the API, is at `/docs` of a running server. */
const PAGES = [
  'testing.md',
  'clients.md',
  'for-x-users.md',
  'receive.md',
  'events.md',
  'cli.md',
  'configuration.md',
  'console.md',
  'operating.md',
  'install.md',
  'proxy.md',
  'apps.md',
  'secure.md',
  'operate.md',
  'roles.md',
  'runbook.md',
  'runbook-apps.md',
  'usage.md',
  'metrics.md',
  'broker.md',
  'logs.md',
  'scale.md',
  'traces.md',
  'backup.md',
  'upgrade.md',
  'versions.md',
  'limits.md',
  'failures.md',
  'seeds.md',
  'media.md',
  'webhook-vectors.json',
]

/** The package `postern`: the server, the command line and the test kit, at the paths that they have here. */
export const posternPackage = (): PackageBuild => ({
  out: join(root, 'dist/postern'),
  from: '.',
  sources: ['server/src', 'postern/src'],
  types: ['postern/src/index.ts'],
  bundle: { entries: ['postern/src/cli/main.js', 'postern/src/index.ts'], include: INCLUDED, groups: GROUPS },
  copies: {
    ...asTheyAre(globSync('postern/src/take-over/client/*.cjs', { cwd: root })),
    'postern/README.md': 'README.md',
    'CHANGELOG.md': 'CHANGELOG.md',
    LICENSE: 'LICENSE',
    ...asTheyAre([...PAGES.map((page) => `docs/${page}`), 'docs/pictures', 'postern/examples']),
    'server/seeds': 'server/seeds',
    ...asTheyAre(['deploy/prometheus', 'deploy/grafana']),
    ...Object.fromEntries([...INCLUDED, ...IN_CONSOLE].map((name) => [licenceOf(name), `licenses/${name}`])),
  },
  async more(out) {
    await buildConsole(join(out, 'console/dist'))
    // The name that scanners look for.
    writeFileSync(join(out, 'sbom.cdx.json'), `${JSON.stringify(posternBill(), undefined, 1)}\n`)
  },
  manifest: posternManifest(),
})

/** The package `@postern/receiver`: a library for those who receive webhooks, for Node 20 and for runtimes with only `fetch`. */
export function receiverPackage(): PackageBuild {
  const { name, version, description, license, engines } = manifestOf('receiver')
  const entry = (module: string) => ({ types: `./src/${module}.d.ts`, default: `./src/${module}.js` })
  return {
    out: join(root, 'dist/receiver'),
    from: 'receiver',
    sources: ['receiver/src'],
    types: ['receiver/src/index.ts', 'receiver/src/fetch.ts'],
    copies: { 'receiver/README.md': 'README.md', LICENSE: 'LICENSE' },
    manifest: {
      name,
      version,
      description,
      license,
      type: 'module',
      publishConfig: PUBLISHED,
      engines,
      sideEffects: false,
      exports: { '.': entry('index'), './fetch': entry('fetch'), './package.json': './package.json' },
    },
  }
}
