import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

/** The layers, lowest first. A layer may import itself and those below, and no other folder of its own layer. */
const layers: Record<string, number> = { lib: 1, metrics: 2, storage: 2, api: 3, access: 4, delivery: 4, endpoints: 5 }
const TOP = 6

interface Source {
  path: string
  text: string
  imports: string[]
}

function readSources(src: string): Source[] {
  return globSync('**/*.ts', { cwd: join(root, src) }).map((path) => {
    const text = readFileSync(join(root, src, path), 'utf8')
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!)
    return { path, text, imports: imports.map((name) => (name.startsWith('.') ? join(dirname(path), name) : name)) }
  })
}

const sources = readSources('server/src')

/** The sources of every package, by their folder. */
const packages = new Map([
  ['server/src', sources],
  ...['postern/src', 'receiver/src', 'bench/src'].map((src) => [src, readSources(src)] as const),
])

const folderOf = (path: string) => (path.includes('/') ? path.split('/')[0]! : 'top')
const layerOf = (path: string) => layers[folderOf(path)] ?? TOP
const isLocal = (name: string) => name.endsWith('.ts')

/** Endpoint folders that make up one area. */
const areaOf = (path: string) =>
  path
    .split('/')
    .slice(0, path.startsWith('endpoints/ads/') ? 3 : 2)
    .join('/')

const mustNot = (broken: { path: string; imports: string }[]) =>
  assert.deepEqual(
    broken.map(({ path, imports }) => `${path} must not import ${imports}`),
    [],
  )

const importsWhere = (wrong: (path: string, imports: string) => boolean) =>
  sources.flatMap(({ path, imports }) => imports.filter((name) => wrong(path, name)).map((name) => ({ path, imports: name })))

const textWhere = (pattern: RegExp, allowed: (path: string) => boolean) =>
  sources
    .filter(({ path, text }) => !allowed(path) && pattern.test(text.replace(/\/\*\*?[\s\S]*?\*\/|\/\/.*/g, '')))
    .map(({ path }) => path)

test('imports point down only', () => {
  mustNot(importsWhere((path, name) => isLocal(name) && layerOf(name) > layerOf(path)))
})

test('access and delivery do not import each other', () => {
  mustNot(importsWhere((path, name) => isLocal(name) && layerOf(path) === 4 && layerOf(name) === 4 && folderOf(path) !== folderOf(name)))
})

/** What a module imports at once, without what it loads later. Types are erased. */
const staticImports = ({ path, text }: Source) =>
  [...text.matchAll(/^(?:import|export)\s(?!type\s)(?:[^'()]*?\sfrom\s)?'(\.[^']+)'/gm)].map((match) => join(dirname(path), match[1]!))

/** What it loads at once or later. */
const allImports = (source: Source) => [
  ...staticImports(source),
  ...[...source.text.matchAll(/import\(\s*'(\.[^']+)'/g)].map((match) => join(dirname(source.path), match[1]!)),
]

/** Every module that is loaded with one, each with the module that asks for it. */
function loadedWith(first: string, importsOf = staticImports): Map<string, string> {
  const known = new Map(sources.map((source) => [source.path, source]))
  const loaded = new Map([[first, '']])
  for (const path of loaded.keys()) {
    const source = known.get(path)
    for (const name of source ? importsOf(source) : []) if (!loaded.has(name)) loaded.set(name, path)
  }
  return loaded
}

const isInWing = (path: string) => path.startsWith('development/')

test('production loads nothing of the development wing', () => {
  const loaded = loadedWith('start.ts', (source) => allImports(source).filter((name) => name !== 'development/wing.ts'))
  assert.ok(loaded.has('assemble.ts') && loaded.has('endpoints/webhooks/webhooks.ts'), 'the walk follows the imports')
  assert.deepEqual(
    [...loaded].filter(([path]) => isInWing(path)).map(([path, by]) => `${by} loads ${path}`),
    [],
  )
  assert.ok(loadedWith('development/wing.ts').has('development/faults/faults.ts'), 'the walk follows the imports of the wing')
})

test('only assemble.ts loads the development wing, and nothing below imports it', () => {
  const mayName = (path: string) => isInWing(path) || path === 'assemble.ts' || path.startsWith('assemble/')
  mustNot(importsWhere((path, name) => isInWing(name) && !mayName(path)))
  mustNot(importsWhere((path, name) => isInWing(path) && (name === 'assemble.ts' || name.startsWith('assemble/'))))
  const loading = sources.filter(({ path, text }) => !isInWing(path) && /import\(\s*'[^']*\/development\//.test(text))
  assert.deepEqual(
    loading.map(({ path }) => path),
    ['assemble.ts'],
  )
})

test('only assemble.ts and backups know which database implements the ports', () => {
  const inside = (path: string) => /^storage\/(sql|log|backup)\//.test(path) || path === 'storage/open-database.ts'
  mustNot(importsWhere((path, name) => /^storage\/(sql|log)\//.test(name) && !inside(path)))
  mustNot(importsWhere((path, name) => name === 'storage/open-database.ts' && path !== 'assemble.ts'))
})

test('only api/http and the inboxes of development make HTTP servers', () => {
  const makers = ['api/http/limited-server.ts', 'development/inboxes/inbox-listener.ts']
  assert.deepEqual(
    textWhere(/\bcreateServer\b.*node-http/, (path) => makers.includes(path)),
    [],
  )
})

test('only metrics/prometheus.ts imports the Prometheus library', () => {
  mustNot(importsWhere((path, name) => name === 'prom-client' && path !== 'metrics/prometheus.ts'))
})

test('only what telemetry/load-telemetry.ts loads later imports OpenTelemetry', () => {
  const loaded = loadedWith('telemetry/open-telemetry.ts')
  mustNot(importsWhere((path, name) => name.startsWith('@opentelemetry/') && !(path.startsWith('telemetry/') && loaded.has(path))))
  const atOnce = new Set(sources.flatMap(staticImports))
  assert.ok(!atOnce.has('telemetry/open-telemetry.ts') && !loadedWith('start.ts').has('telemetry/send-traces.ts'))
})

test('only what takes events from NATS imports its client, and it is loaded later', () => {
  mustNot(importsWhere((path, name) => name.startsWith('@nats-io/') && !path.startsWith('delivery/broker/nats/')))
  assert.ok(!loadedWith('start.ts').has('delivery/broker/nats/jetstream-source.ts'))
})

test('only storage/sql, storage/log, storage/postgres, storage/files and storage/backup import the database drivers', () => {
  mustNot(
    importsWhere((path, name) => /^(kysely|pg|node:sqlite)(\/|$)/.test(name) && !/^storage\/(sql|log|postgres|files|backup)\//.test(path)),
  )
})

test('only lib/clock.ts reads the time or sets timers', () => {
  const time = /\bDate\.now\(|\bsetTimeout\(|\bsetInterval\(|\bsetImmediate\(|new Date\(\)|performance\.now\(|node:timers/
  assert.deepEqual(
    textWhere(time, (path) => path === 'lib/clock.ts'),
    [],
  )
})

test('only settings/settings.ts reads the environment', () => {
  assert.deepEqual(
    textWhere(/process\.env/, (path) => path === 'settings/settings.ts'),
    [],
  )
})

for (const [src, sources] of packages)
  test(`there are no import cycles in ${src}`, () => {
    const known = new Map(sources.map((source) => [source.path, source.imports.filter(isLocal)]))
    const done = new Set<string>()
    const walk = (path: string, trail: string[]): void => {
      assert.ok(!trail.includes(path), `${[...trail.slice(trail.indexOf(path)), path].join(' → ')} is a circle`)
      if (done.has(path)) return
      for (const next of known.get(path) ?? []) walk(next, [...trail, path])
      done.add(path)
    }
    assert.ok(sources.length > 0)
    for (const { path } of sources) walk(path, [])
  })

/** The child of a folder that a path is, or is in: `read/` for `api/read/json.ts` in `api`. */
const childOf = (folder: string, path: string) => /^[^/]+\/?/.exec(path.slice(folder === '' ? 0 : folder.length + 1))![0]

const isIn = (folder: string, path: string) => folder === '' || path.startsWith(`${folder}/`)

/** What each child of a folder imports of the others. */
function importsAmong(folder: string, sources: Source[]): Map<string, Set<string>> {
  const among = new Map<string, Set<string>>()
  for (const { path, imports } of sources.filter(({ path }) => isIn(folder, path))) {
    const child = childOf(folder, path)
    const others = imports.filter((name) => isLocal(name) && isIn(folder, name)).map((name) => childOf(folder, name))
    among.set(child, new Set([...(among.get(child) ?? []), ...others.filter((other) => other !== child)]))
  }
  return among
}

/** Pairs of a folder's children that import each other, directly or through others. */
function circlesAmong(among: Map<string, Set<string>>): string[] {
  const reach = (from: string, found = new Set<string>()): Set<string> => {
    for (const next of among.get(from) ?? []) if (!found.has(next)) reach(next, found.add(next))
    return found
  }
  const reached = new Map([...among.keys()].map((child) => [child, reach(child)]))
  const pairs = [...reached].flatMap(([one, others]) =>
    [...others].filter((other) => one < other && reached.get(other)?.has(one)).map((other) => `${one} ⇄ ${other}`),
  )
  return pairs.sort()
}

const foldersOf = (sources: Source[]) => [
  ...new Set(sources.flatMap(({ path }) => path.split('/').map((_, depth, steps) => steps.slice(0, depth).join('/')))),
]

for (const src of ['server/src', 'postern/src', 'receiver/src'])
  test(`at every level of ${src}, files and folders import each other in one direction`, () => {
    const sources = packages.get(src)!
    assert.deepEqual(
      foldersOf(sources).flatMap((folder) => circlesAmong(importsAmong(folder, sources)).map((pair) => `${folder}: ${pair}`)),
      [],
    )
  })

/** The parts of `api`, lowest first: each imports those before it. */
const partsOfApi = [
  ['declare/'],
  ['read/', 'answer/', 'describe/', 'objects/'],
  ['areas.ts', 'reference/'],
  ['http/', 'records/', 'openapi.ts', 'wait-for-database.ts'],
  ['serve.ts'],
  ['routes.ts'],
]

test('the parts of api import each other in the order in which a request passes through them', () => {
  const among = importsAmong('api', sources)
  const levelOf = (child: string) => partsOfApi.findIndex((parts) => parts.includes(child))
  const upward = [...among].flatMap(([child, others]) =>
    [...others].filter((other) => levelOf(other) >= levelOf(child)).map((other) => `${child} → ${other}`),
  )
  assert.deepEqual(upward, [])
  assert.deepEqual([...among.keys()].sort(), partsOfApi.flat().sort())
})

test('an area of endpoints does not import another, except for shared files', () => {
  const known = new Map(sources.map(({ path, text }) => [path, text]))
  const shared = new Set([
    'endpoints/webhooks/assert-quota.ts',
    'endpoints/webhooks/own-webhook.ts',
    'endpoints/webhooks/callback-url.ts',
    'endpoints/webhooks/start-replay.ts',
    'endpoints/webhooks/register-webhook.ts',
    'endpoints/activity/subscribe.ts',
    'endpoints/activity/subscription-consent.ts',
    'endpoints/activity/check-filter.ts',
    'endpoints/activity/subscription-view.ts',
  ])
  const crosses = (path: string, name: string) =>
    path.startsWith('endpoints/') && name.startsWith('endpoints/') && path !== 'endpoints/index.ts' && areaOf(path) !== areaOf(name)
  const isResource = (name: string) => name.startsWith('endpoints/ads/resources/') || name === 'endpoints/ads/regular-endpoints.ts'
  const isOfMany = /^endpoints\/(ads|objects|events|posts|users|lists|spaces|media|work)\//
  const isThing = (name: string) => isResource(name) || (isOfMany.test(name) && !known.get(name)?.includes('route: '))
  mustNot(importsWhere((path, name) => crosses(path, name) && !shared.has(name) && !isThing(name)))
})

test('no file has a meaningless name', () => {
  const empty = /(^|[-/])(utils?|helpers?|common|misc|manager|data)\.ts$/
  assert.deepEqual(
    sources.filter(({ path }) => empty.test(path)).map(({ path }) => relative('.', path)),
    [],
  )
})

const WORDS = ['secret', 'signature', 'verifier', 'pin', 'proof', 'password', 'tag', 'nonce']
const capital = (word: string) => `${word[0]!.toUpperCase()}${word.slice(1)}`

/** A name that ends in one of the words: `appSecret`, `oauth_verifier`, `PIN`, but not `secretVersion` or `spin`. */
const SECRET = new RegExp(
  `(^|[^A-Za-z])(${[...WORDS, ...WORDS.map((word) => word.toUpperCase())].join('|')})s?$|[a-z](${WORDS.map(capital).join('|')})s?$`,
)

/** What says only whether there is something, or how much. */
const HARMLESS = /^(undefined|null|''|\d+|true|false)$|\.length$/

/** The name at the end of an operand: of `oauth.get('oauth_verifier')!` that which is asked for. */
const nameOf = (operand: string) => operand.replace(/[!?]+$/, '').replace(/(?:[([]'([\w-]+)'[)\]]|\(\)|\[\w+\])$/, '$1')
const isSecret = (operand: string) => SECRET.test(nameOf(operand))

const OPERAND = String.raw`(?:[\w$]|[!?]?\.(?=[\w$])|\?\.)+(?:\((?:'[^']*'|[\w$]*)\)|\[(?:'[^']*'|\w+)\])*!?|'[^']*'|"[^"]*"`
const EQUALS = new RegExp(`(${OPERAND})\\s*[!=]==?\\s*(${OPERAND})`, 'g')
const SEARCHES = new RegExp(
  `(${OPERAND}|\\])\\s*[!?]?\\.(?:includes|indexOf|lastIndexOf|startsWith|endsWith|localeCompare)\\(\\s*(${OPERAND})`,
  'g',
)

/** Comparisons with something secret that end at the first difference, and so tell in time how much was right. */
function hastyComparisons(text: string): string[] {
  const code = text.replace(/\/\*\*?[\s\S]*?\*\/|(?<!:)\/\/.*/g, '')
  const isHasty = ([, one = '', other = '']: RegExpMatchArray) =>
    (isSecret(one) || isSecret(other)) && !HARMLESS.test(one) && !HARMLESS.test(other)
  return [...code.matchAll(EQUALS), ...code.matchAll(SEARCHES)].filter(isHasty).map(([found]) => found)
}

test('the check finds comparisons of secrets that are not constant-time', () => {
  const hasty = [
    'if (signature === sent) return',
    'return found.tokenSecret !== given',
    "oauth.get('oauth_verifier') == wanted",
    'row.verifier_sealed !== null && verifier !== row.verifier',
    'given.pin! === pin',
    'a === b.proofs[0]',
    'PASSWORD === given',
    'secrets.includes(given)',
    '[current, previous].includes(secret)',
    'given.startsWith(app.consumerSecret)',
    'known.nonces.indexOf(one)',
    "sent !== request.headers['x-signature']",
    'hmac(key).tag ===\n  tag',
  ]
  for (const line of hasty) assert.equal(hastyComparisons(line).length, 1, line)
  const harmless = [
    "secret === undefined || pin !== null || password === '' || proof.length !== 43",
    "name !== 'oauth_signature'",
    'app.secretVersion === 2 && provenSecretVersion !== proven',
    'spin === 3 || stage === 4',
    "exchanged === 'wrong-verifier'",
    'equalInConstantTime(secret, given) === true',
    '// secret === given',
  ]
  for (const line of harmless) assert.deepEqual(hastyComparisons(line), [], line)
})

test('secrets are only compared in constant time', () => {
  assert.deepEqual(
    sources.flatMap(({ path, text }) => hastyComparisons(text).map((found) => `${path}: ${found}`)),
    [],
  )
})
