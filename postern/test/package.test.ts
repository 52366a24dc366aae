// The package as users have it: built, packed, installed into an empty folder, and run there.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { buildPackage } from '../../scripts/build-package.ts'
import { posternPackage } from '../../scripts/packages.ts'
import { startRegistry } from './stage/package-registry.ts'

const root = resolve(import.meta.dirname, '../..')
const MAX_BYTES = 40_000_000
const run = promisify(execFile)

const folder = mkdtempSync(join(tmpdir(), 'postern-installed-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const built = join(folder, 'built')
const project = join(folder, 'project')
const installed = join(project, 'node_modules/postern')
const ports = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0' }

/** A user's environment: nothing of this run, npm's own settings included. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|POSTERN_)/.test(name))),
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: folder,
}
const inProject = { cwd: project, env: environment }
const failureOf = (running: Promise<unknown>) =>
  running.then(
    () => assert.fail('it did not fail'),
    (error: { code: number; stderr: string }) => error,
  )
const npx = (...words: string[]) => run('npx', ['--offline', ...words], inProject)

before(async () => {
  buildPackage({ ...posternPackage(), out: built })
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await using registry = await startRegistry({ postern: built })
  // Refuses every install script, so that one that is needed makes the tests fail.
  const options = [
    '--no-update-notifier',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    `--registry=${registry.url}`,
    `--cache=${join(folder, 'cache')}`,
  ]
  await run('npm', ['install', ...options, 'postern'], inProject)
})

test('it is smaller than 40 MB with all its dependencies', () => {
  const files = globSync('**/*', { cwd: join(project, 'node_modules') }).map((path) => statSync(join(project, 'node_modules', path)))
  const bytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
  assert.ok(bytes < MAX_BYTES, `${bytes} bytes`)
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

test('it has no TypeScript but declarations, and every module names built ones', () => {
  const sources = globSync('**/*.ts', { cwd: installed }).filter((path) => !path.endsWith('.d.ts'))
  assert.deepEqual(sources, [])
  const modules = globSync('**/*.js', { cwd: installed })
  assert.ok(modules.length > 500)
  const wrong = modules.filter((path) =>
    /(from|import\(|new URL\() ?['"]\.[^'"]*\.ts['"]/.test(readFileSync(join(installed, path), 'utf8')),
  )
  assert.deepEqual(wrong, [])
})

test('`npx postern` starts a server on a database in the folder', async () => {
  const child = spawn('npx', ['--offline', 'postern'], { ...inProject, env: { ...environment, ...ports }, detached: true })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    for await (const line of createInterface(child.stdout)) {
      const { msg, base_url } = JSON.parse(line)
      if (msg !== 'ready') continue
      for (const path of ['/docs', '/openapi.json', '/healthz']) assert.equal((await fetch(base_url + path)).status, 200, path)
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
  const { code, stderr } = await failureOf(run('npx', ['--offline', 'postern'], { cwd: project, env }))
  assert.equal(code, 1)
  assert.match(
    stderr,
    /POSTERN_MEDIA_STORE names a bucket, for which Postern needs the package @aws-sdk\/client-s3: install it beside postern \(npm install @aws-sdk\/client-s3\)/,
  )
})

test('a Node that is too old gets one line', async () => {
  const manifest = join(installed, 'package.json')
  const text = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, text.replace(/"node": "[^"]+"/, '"node": ">=99.0.0"'))
  try {
    const { code, stderr } = await failureOf(npx('postern'))
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
    ...{ target: 'es2024', lib: ['es2024', 'esnext.disposable', 'dom'], module: 'nodenext', strict: true, outDir: 'built', types: [] },
    // The shipped declarations are checked too.
    skipLibCheck: false,
  },
  files: ['script.ts'],
}

test('a script that imports it is checked against its declarations, and runs', async () => {
  writeFileSync(join(project, 'script.ts'), SCRIPT)
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  const { stdout: complaints } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], inProject).catch(
    (error) => error,
  )
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
