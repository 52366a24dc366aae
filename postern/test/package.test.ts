// The package as users have it: built, packed, installed into an empty folder, and run there.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, existsSync, globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import type { Bill, Component } from '../../scripts/bill-of-materials.ts'
import { installPackage, run } from './stage/installed-package.ts'

const root = resolve(import.meta.dirname, '../..')
const MAX_BYTES = 25_000_000

const installation = await installPackage()
after(() => installation[Symbol.dispose]())
const { folder: project, environment, link } = installation
const installed = join(project, 'node_modules/postern')
const ports = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0' }
const inProject = { cwd: project, env: environment }
/** What `npx postern` runs. */
const COMMAND = join(project, 'node_modules/.bin/postern')

const failureOf = (running: Promise<unknown>) =>
  running.then(
    () => assert.fail('it did not fail'),
    (error: { code: number; stderr: string }) => error,
  )

test('it is smaller than 25 MB with all its dependencies, as the README says', () => {
  const files = globSync('**/*', { cwd: join(project, 'node_modules') }).map((path) => statSync(join(project, 'node_modules', path)))
  const bytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
  assert.ok(bytes < MAX_BYTES, `${bytes} bytes`)
  assert.match(readFileSync(join(root, 'README.md'), 'utf8'), /less than 25 MB with all its dependencies/)
})

test('no package that it brings has an install script', () => {
  const manifests = globSync('**/package.json', { cwd: join(project, 'node_modules') })
  const scripts = manifests.flatMap((path) => {
    const { name, version, scripts = {} } = JSON.parse(readFileSync(join(project, 'node_modules', path), 'utf8'))
    const own = ['preinstall', 'install', 'postinstall'].filter((script) => script in scripts)
    return name && version && own.length > 0 ? [name] : []
  })
  assert.deepEqual(scripts, [])
})

test('it has no TypeScript but declarations, and its few modules name files that it has', () => {
  const sources = globSync('**/*.ts', { cwd: installed }).filter((path) => !path.endsWith('.d.ts'))
  assert.deepEqual(sources, [])
  const modules = globSync('**/*.{js,cjs}', { cwd: installed })
  assert.ok(modules.length < 400, `${modules.length} modules`)
  const missing = modules.flatMap((path) => {
    const text = readFileSync(join(installed, path), 'utf8')
    const names = [...text.matchAll(/(?:from|import|import\(|require\() ?['"](\.[^'"]*)['"]/g)].map(([, name]) => name!)
    return names.filter((name) => !existsSync(join(installed, dirname(path), name))).map((name) => `${path}: ${name}`)
  })
  assert.deepEqual(missing, [])
})

test('it has nothing that a run may have left in a folder that it copies', () => {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  assert.ok(files.includes(join('postern', 'examples', 'node-test', 'bot.test.js')))
  assert.deepEqual(
    files.filter((path) => /(^|\/)(\.|ca\.pem$|[^/]*\.db($|\.))/.test(path)),
    [],
  )
})

test('it has the licence of each package that is written into its modules, and needs none of them', () => {
  const sources = globSync('**/*.map', { cwd: installed }).flatMap(
    (path) => JSON.parse(readFileSync(join(installed, path), 'utf8')).sources,
  )
  const included = new Set(sources.flatMap((source: string) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []))
  const holders = {
    '@opentelemetry/api': /Apache License/,
    bintrees: /Vadim Graboys/,
    'csv-parse': /MIT License.*Adaltas/s,
    kysely: /MIT License.*Sami Koskimäki/s,
    'lru-cache': /Blue Oak Model License/,
    'prom-client': /Apache License/,
    tdigest: /Will Welch/,
  }
  assert.deepEqual([...included].sort(), Object.keys(holders))
  for (const [name, holder] of Object.entries(holders)) {
    assert.match(readFileSync(join(installed, 'licenses', name), 'utf8'), holder)
    assert.ok(!existsSync(join(project, 'node_modules', name)), name)
  }
})

test('its bill of materials has every package that npm installs with it or that its modules contain, with version, licence and hash', () => {
  const bill: Bill = JSON.parse(readFileSync(join(installed, 'sbom.cdx.json'), 'utf8'))
  const nameOf = ({ group, name, version }: Component) => `${group ? `${group}/` : ''}${name}@${version}`
  const locked = JSON.parse(readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8')).packages
  const others = Object.entries<{ version: string }>(locked).filter(([path]) => path !== 'node_modules/postern')
  const brought = others.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
  const within = readdirSync(join(installed, 'licenses'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(installed, 'licenses', name)).isFile(),
  )
  const bundled = bill.components.filter(({ properties }) => properties?.some(({ name }) => name === 'cdx:npm:package:bundled'))
  assert.deepEqual(bundled.map((one) => nameOf(one).replace(/@[^@]*$/, '')).sort(), within.sort())
  const required = bill.components.filter(({ scope }) => scope === 'required').map(nameOf)
  assert.deepEqual(required.sort(), [...new Set([...brought, ...bundled.map(nameOf)])].sort())
  for (const { licenses, hashes, purl } of bill.components) {
    assert.equal(licenses.length, 1, purl)
    assert.match(hashes![0]!.content, /^[0-9a-f]{128}$/, purl)
  }
  const refs = new Set([bill.metadata.component, ...bill.components].map((one) => one['bom-ref']))
  assert.deepEqual([...new Set(bill.dependencies.map(({ ref }) => ref))].sort(), [...refs].sort())
  for (const { ref, dependsOn } of bill.dependencies) for (const other of dependsOn) assert.ok(refs.has(other), `${ref} needs ${other}`)
})

test('it has the pages for its users, whose links to other files work', async () => {
  const pages = globSync('**/*.md', { cwd: installed, exclude: ['node_modules/**'] }).sort()
  const ofUsers = [
    'apps',
    'backup',
    'broker',
    'cli',
    'clients',
    'configuration',
    'console',
    'events',
    'failures',
    'for-x-users',
    'install',
    'limits',
    'logs',
    'media',
    'metrics',
    'operate',
    'operating',
    'proxy',
    'receive',
    'roles',
    'runbook-apps',
    'runbook',
    'scale',
    'secure',
    'seeds',
    'testing',
    'traces',
    'upgrade',
    'usage',
    'versions',
  ]
  assert.deepEqual(pages, ['CHANGELOG.md', 'README.md', ...ofUsers.map((name) => `docs/${name}.md`), 'postern/examples/README.md'])
  const wrong = pages.flatMap((page) => {
    const text = readFileSync(join(installed, page), 'utf8')
    const links = [/\]\((?!https?:|#|\/)([^)#\s]+)[^)]*\)/g, /\s(?:src|srcset)="([^"]+)"/g].flatMap((link) =>
      [...text.matchAll(link)].map(([, path]) => path!),
    )
    return links.filter((path) => !existsSync(join(installed, dirname(page), path))).map((path) => `${page}: ${path}`)
  })
  assert.deepEqual(wrong, [])
  assert.match(readFileSync(join(installed, 'README.md'), 'utf8'), /\[Test with Postern\]\(docs\/testing\.md\)/)
  assert.match(readFileSync(join(installed, 'docs/testing.md'), 'utf8'), /\[demo seed\]\(\.\.\/server\/seeds\/demo\.json\)/)
})

test('the pages that install the package from a clone name what the build writes', async () => {
  const { stdout } = await run('npm', ['pack', installed, '--dry-run', '--json'], inProject)
  const [{ filename }] = JSON.parse(stdout)
  const pageOf = (path: string) => readFileSync(join(root, path), 'utf8')
  const testing = `npm run build --prefix ../postern\nnpm install --save-dev ../postern/dist/${filename}\n`
  assert.ok(pageOf('docs/testing.md').includes(testing), testing)
  const contributing = `npm run build\nnpm install --prefix ../your-project --save-dev ./dist/${filename}\nnpx --prefix ../your-project postern help\n`
  assert.ok(pageOf('CONTRIBUTING.md').includes(contributing), contributing)
})

test('`npx postern` starts a server on a database in the folder', async () => {
  const child = spawn('npx', ['--offline', 'postern'], { ...inProject, env: { ...environment, ...ports }, detached: true })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    for await (const line of createInterface(child.stdout)) {
      const { msg, base_url } = JSON.parse(line)
      if (msg !== 'ready') continue
      const token = readFileSync(join(project, '.postern/operator-token'), 'utf8').trim()
      const headers = { authorization: `Bearer ${token}` }
      for (const path of ['/docs', '/console/', '/openapi.json', '/healthz', '/metrics'])
        assert.equal((await fetch(base_url + path, { headers })).status, 200, path)
      process.kill(-child.pid!, 'SIGTERM')
    }
    await ended
    assert.ok(statSync(join(project, '.postern/postern.db')).size > 0)
  } finally {
    child.kill('SIGKILL')
  }
})

test('media in a bucket need a package that is named', async () => {
  const env = { ...environment, ...ports, POSTERN_MEDIA_STORE: 's3://bucket/prefix' }
  const { code, stderr } = await failureOf(run(COMMAND, [], { cwd: project, env }))
  assert.equal(code, 1)
  assert.match(
    stderr,
    /POSTERN_MEDIA_STORE names a bucket, for which Postern needs the package @aws-sdk\/client-s3: install it beside postern \(npm install @aws-sdk\/client-s3\)/,
  )
})

test('a collector of OpenTelemetry needs packages that are named', async () => {
  const env = { ...environment, ...ports, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  const { code, stderr } = await failureOf(run(COMMAND, [], { cwd: project, env }))
  assert.equal(code, 1)
  assert.match(
    stderr,
    /install them beside postern \(npm install @opentelemetry\/exporter-metrics-otlp-proto .+ @opentelemetry\/sdk-trace\)/,
  )
})

test('a Node that is too old gets one line', async () => {
  const manifest = join(installed, 'package.json')
  const text = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, text.replace(/"node": "[^"]+"/, '"node": ">=99.0.0"'))
  try {
    const { code, stderr } = await failureOf(run(COMMAND, [], inProject))
    assert.equal(code, 1)
    assert.equal(stderr, `Postern needs Node >=99.0.0, and this is ${process.versions.node}: https://nodejs.org has one.\n`)
  } finally {
    writeFileSync(manifest, text)
  }
})

const SCRIPT = `import { startPostern, type StartedPostern, type UserCredentials } from 'postern'

await using postern: StartedPostern = await startPostern({ dialect: 'x' })
const credentials: UserCredentials = postern.app.userCredentials('ada')
const token: string = await postern.app.bearerToken()
const answer = await fetch(\`\${postern.url}/2/users/by/username/ada\`, { headers: { authorization: \`Bearer \${token}\` } })
console.log(answer.status, credentials.appKey)
// @ts-expect-error: there is no such dialect.
void (() => startPostern({ dialect: 'y' }))
`

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'dom'],
    module: 'nodenext',
    strict: true,
    outDir: 'built',
    types: [],
    // The shipped declarations are checked too.
    skipLibCheck: false,
  },
  files: ['script.ts'],
}

test('a script that imports it is checked against its declarations, and runs', async () => {
  writeFileSync(join(project, 'script.ts'), SCRIPT)
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  const { stdout: complaints } = await run(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '--singleThreaded'],
    inProject,
  ).catch((error) => error)
  assert.equal(complaints, '')
  const { stdout } = await run(process.execPath, ['built/script.js'], inProject)
  assert.equal(stdout, '200 demo-consumer-key\n')
})

test('an error of the server is shown at its line in the sources', async () => {
  writeFileSync(
    join(project, 'fail.js'),
    "import { startPostern } from 'postern'\nawait startPostern({ settings: { POSTERN_PORT: 'x' } })\n",
  )
  const { stderr } = await failureOf(run(process.execPath, ['--enable-source-maps', 'fail.js'], inProject))
  assert.match(stderr, /server\/src\/settings\/settings\.ts:\d+/)
})

const example = (name: string) => cpSync(join(root, 'postern/examples', name), join(project, name), { recursive: true })

link('twitter-api-v2')
const passing: Record<string, number> = { 'node-test': 3, bot: 4 }

for (const [name, count] of Object.entries(passing))
  test(`the example ${name} passes`, async () => {
    example(name)
    const { stdout } = await run(process.execPath, ['--test', `${name}/bot.test.js`], inProject)
    assert.match(stdout, new RegExp(`pass ${count}\\n`))
  })
