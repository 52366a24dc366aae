// No container runs here: the files are held against what they name.
import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { INCLUDED } from '../../scripts/bundled.ts'
import { posternPackage } from '../../scripts/packages.ts'
import { warnings } from '../../server/src/settings/setting-conflicts.ts'
import { readSettings, unknownSettings } from '../../server/src/settings/settings.ts'
import { compose, dockerfile, imageEnvironment, lastStage, read, root, stageText } from './stage/containers.ts'

const LONG = 'a-secret-of-the-tests-of-containers-0123'

/** The settings of a service of compose.yaml, with secrets in place of what the shell has to say. */
const composeEnvironment = (service: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries<string>(compose.services[service].environment).map(([name, value]) => [name, value.startsWith('${') ? LONG : value]),
  )

const manifest = JSON.parse(read('package.json'))

test('the image is built and run on a Node that the package accepts', () => {
  const images = [...dockerfile.matchAll(/^FROM (node:\S+) AS \w+$/gm)].map(([, image]) => image)
  assert.deepEqual(images, Array(3).fill(`node:${manifest.devDependencies.node}-slim`))
})

test('no operator token and no key of an authority is copied into the image, from any folder', () => {
  const left = read('.dockerignore').split('\n')
  assert.deepEqual(
    ['**/.postern', '**/ca.pem'].filter((pattern) => !left.includes(pattern)),
    [],
  )
})

test('the image has the packages of the lock file, without those that are in the modules of the package', () => {
  const removed = /rm -r @postern (.+)$/m.exec(stageText('dependencies'))![1]!.split(' ')
  // Packages of the image need that one.
  assert.deepEqual(
    removed,
    INCLUDED.filter((name) => name !== '@opentelemetry/api'),
  )
  const copied = [...stageText('dependencies').matchAll(/^COPY (\w+\/package\.json) /gm)].map(([, path]) => path!.split('/')[0]!)
  assert.deepEqual(copied, [...manifest.workspaces].sort())
})

for (const [stage, port] of [
  ['development', '4000'],
  ['production', '4003'],
] as const)
  test(`the image for ${stage} runs what the package has, as no privileged user, with a health check of a path that exists`, () => {
    const { manifest: published } = posternPackage() as { manifest: { bin: Record<string, string> } }
    const text = stageText(stage)
    assert.ok(text.includes(`"/opt/postern/${published.bin.postern}"]`))
    assert.ok(existsSync(join(root, published.bin.postern!)))
    assert.match(text, /^USER 1000:1000$/m)
    assert.equal(/fetch\('http:\/\/127\.0\.0\.1:(\d+)\/readyz'\)/.exec(text)![1], port)
    assert.ok(existsSync(join(root, 'scripts/build.ts')))
    assert.ok(posternPackage().out.endsWith('/dist/postern'))
  })

/** The services of compose.yaml that run Postern, with their roles. */
const roles = { 'api-one': 'api', 'api-two': 'api', delivery: 'delivery', 'stream-one': 'stream', 'stream-two': 'stream' }

test('the settings of the image and of two processes of each role exist and are accepted', () => {
  assert.equal(lastStage, 'development')
  const image = imageEnvironment(lastStage)
  for (const environment of [image, ...Object.keys(roles).map((service) => ({ ...image, ...composeEnvironment(service) }))]) {
    assert.deepEqual(unknownSettings(Object.keys(environment)), [])
    // As in any container: who reaches it is decided by the ports that are published.
    assert.deepEqual(
      warnings(readSettings(environment)).filter((text) => !text.startsWith('POSTERN_HOST is 0.0.0.0: ')),
      [],
    )
  }
  const named = Object.keys(compose.services).filter((service) => service !== 'database')
  assert.deepEqual(Object.fromEntries(named.map((service) => [service, composeEnvironment(service).POSTERN_ROLES])), roles)
  assert.equal(compose.services.delivery.scale, 2)
})

test('a process without the role api is checked where it answers', () => {
  for (const service of ['delivery', 'stream-one', 'stream-two']) {
    const { healthcheck, environment } = compose.services[service]
    assert.ok(healthcheck.test.at(-1).includes(`http://127.0.0.1:${environment.POSTERN_OPERATOR_PORT}/readyz`))
  }
})

test('the settings of the image for production exist, and none of them are for development', () => {
  assert.deepEqual(imageEnvironment('production'), {
    POSTERN_HOST: '0.0.0.0',
    POSTERN_PROFILE: 'production',
    POSTERN_OPERATOR_PORT: '4003',
  })
  assert.deepEqual(unknownSettings(Object.keys(imageEnvironment('production'))), [])
})

test('every port is published on loopback alone', () => {
  const portsOf = (service: string): string[] => compose.services[service].ports
  assert.deepEqual([portsOf('stream-one'), portsOf('stream-two')], [['127.0.0.1:4010:4000'], ['127.0.0.1:5010:4000']])
  assert.equal(portsOf('delivery'), undefined)
  assert.deepEqual(portsOf('api-one'), ['127.0.0.1:4000:4000', '127.0.0.1:4001:4001', '127.0.0.1:4002:4002'])
  assert.deepEqual(portsOf('api-two'), ['127.0.0.1:5000:4000', '127.0.0.1:5001:4001', '127.0.0.1:5002:4002'])
  assert.equal(compose.services.database.ports, undefined)
})

test('every volume that a service mounts is declared', () => {
  const mounted = Object.values<{ volumes: string[] }>(compose.services).flatMap(({ volumes }) => volumes.map((one) => one.split(':')[0]))
  assert.deepEqual([...new Set(mounted)].sort(), Object.keys(compose.volumes).sort())
})

test('every setting that the units of systemd in the documentation name exists', () => {
  const blocks = globSync('docs/**/*.md', { cwd: root }).flatMap((page) =>
    [...read(page).matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, text]) => text!),
  )
  const named = blocks.flatMap((text) =>
    /\[Service\]|postern\.env/.test(text) ? [...text.matchAll(/(?:^|=|')(POSTERN_\w+)=/gm)].map(([, name]) => name!) : [],
  )
  assert.ok(named.includes('POSTERN_SECRET_FILE') && named.includes('POSTERN_PROFILE') && named.includes('POSTERN_DATABASE_URL'))
  assert.deepEqual(unknownSettings(named), [])
})
