// The manifests held against the API of Kubernetes: values by its schemas, names by its types, because the schemas allow unknown names.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suite, test } from 'node:test'
import { type Manifest, manifests } from '../../../../postern/test/stage/containers.ts'

const root = resolve(import.meta.dirname, '../../../..')

/** The module of the models of an API version: `v1`, `apps/v1`. */
const moduleOf = ({ apiVersion }: Manifest) => `kubernetes-models/${apiVersion}`

/** What the types say of objects, by the compiler: a line for each error. */
function typeErrors(objects: readonly Manifest[]): string[] {
  const statements = objects.map(
    (object, at) =>
      `import type { I${object.kind} as Kind${at} } from '${moduleOf(object)}'\nexport const object${at}: Kind${at} = ${JSON.stringify(object)}`,
  )
  const file = join(import.meta.dirname, `manifests-${process.pid}.ts`)
  writeFileSync(file, statements.join('\n'))
  try {
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--pretty',
      'false',
      '--module',
      'nodenext',
      '--types',
      'node',
    ]
    const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options, file], {
      cwd: root,
      encoding: 'utf8',
    })
    return stdout.split('\n').filter((line) => line !== '')
  } finally {
    rmSync(file)
  }
}

/** What the schema of its kind says of an object, or undefined. */
async function schemaError(object: Manifest): Promise<string | undefined> {
  const models = await import(moduleOf(object))
  try {
    new models[object.kind](object).validate()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** A patch says only what it changes. */
const whole = manifests.filter(({ path }) => !/\/(replicas|roles\/api)\.yaml$/.test(path))

suite('the manifests for Kubernetes', () => {
  for (const { path, object } of whole)
    test(`${path}: the schema of ${object.apiVersion} accepts the ${object.kind} ${object.metadata.name}`, async () => {
      assert.equal(await schemaError(object), undefined)
    })

  test('have no name that the API does not know', () => {
    assert.deepEqual(typeErrors(whole.map(({ object }) => object)), [])
  })

  test('are checked by schemas and types that find what is wrong', async () => {
    const deployment = structuredClone(whole.find(({ object }) => object.kind === 'Deployment')!.object)
    deployment.spec.template.spec.terminationGracePeriod = 30
    const [error, ...others] = typeErrors([deployment])
    assert.match(error!, /'"terminationGracePeriod"' does not exist/)
    assert.deepEqual(others, [])
    deployment.spec.replicas = '2'
    assert.match((await schemaError(deployment))!, /replicas must be integer/)
  })
})
