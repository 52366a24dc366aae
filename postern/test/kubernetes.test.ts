// No cluster runs here: the manifests are held against what they name. The slow lane holds them against the types of the API.
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { healthPages } from '../../server/src/api/http/health-pages.ts'
import { gaugeFamilies } from '../../server/src/metrics/gauges.ts'
import { warnings } from '../../server/src/settings/setting-conflicts.ts'
import { readSettings, type SettingsError, unknownSettings } from '../../server/src/settings/settings.ts'
import { assignments, documentsOf, imageEnvironment, KUBERNETES, manifests, read, root, stageText } from './stage/containers.ts'

const folders = ['base', 'roles', 'example'].map((name) => `${KUBERNETES}/${name}`)
const kustomizationOf = (folder: string) => documentsOf(`${folder}/kustomization.yaml`)[0]!

/** The objects of a kind; patches and templates included. */
const all = (kind: string) => manifests.filter(({ object }) => object.kind === kind).map(({ object }) => object)
const named = (kind: string, name = 'postern') => all(kind).find(({ metadata }) => metadata.name === name)!

/** Of the base; in `roles` a patch has the same name. */
const deployment = documentsOf(`${KUBERNETES}/base/deployment.yaml`)[0]!
const pod = deployment.spec.template
const [container] = pod.spec.containers
const secret = named('Secret')
const ports: { name: string; containerPort: number }[] = container.ports
const files = { ...assignments(read(`${KUBERNETES}/base/settings.env`)), ...assignments(read(`${KUBERNETES}/example/settings.env`)) }

/** What a process reads, with the secrets of `values` in files: by the keys of the Secret. */
function settingsWith(values: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-secrets-'))
  try {
    for (const [key, value] of Object.entries(values)) writeFileSync(join(folder, key), value, { mode: 0o400 })
    const mounted = Object.entries(files).map(([name, value]) => [name, value.replace(container.volumeMounts[0].mountPath, folder)])
    return readSettings({ ...imageEnvironment('production'), ...Object.fromEntries(mounted) })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

suite('the manifests for Kubernetes', () => {
  test('are all part of a kustomization, but for the template of the secret and the values of a chart', () => {
    const used = folders.flatMap((folder) => {
      const { resources = [], patches = [], configMapGenerator = [] } = kustomizationOf(folder)
      const envs = configMapGenerator.flatMap((one: { envs: string[] }) => one.envs)
      const paths = [...resources, ...patches.map(({ path }: { path: string }) => path), ...envs]
      return ['kustomization.yaml', ...paths].map((path) => join(folder, path))
    })
    const apart = ['prometheus-adapter.yaml', 'secret.template.yaml'].map((path) => `${KUBERNETES}/example/${path}`)
    const there = globSync(`${KUBERNETES}/*/*`, { cwd: root })
    assert.deepEqual([...used.filter((path) => path !== `${KUBERNETES}/base`), ...apart].sort(), there.sort())
  })

  test('name settings that exist and are accepted, with nothing but the warning of the operator port, which a policy closes', () => {
    assert.deepEqual(unknownSettings(Object.keys(files)), [])
    const settings = settingsWith({
      secret: 'vK3q9ZpW2xLr8TnYc5HbD7sFmJ4gQe6A',
      'operator-token': 'tB6nXw8RkZ3mPq9VhJ5yCd2LsGf7Ea4U',
      'database-url': 'postgres://postern:word@db.example.com/postern?sslmode=verify-full',
    })
    assert.equal(settings.profile, 'production')
    assert.deepEqual(
      warnings(settings).map((text) => text.split(':')[0]),
      ['POSTERN_OPERATOR_HOST is 0.0.0.0'],
    )
  })

  test('mount each secret that a setting names, from a template whose values Postern refuses', () => {
    const [{ name, mountPath }] = container.volumeMounts
    assert.equal(pod.spec.volumes.find((volume: { name: string }) => volume.name === name).secret.secretName, secret.metadata.name)
    const paths = Object.entries(files).filter(([variable]) => variable.endsWith('_FILE'))
    assert.deepEqual(
      paths.map(([, path]) => dirname(path)),
      paths.map(() => mountPath),
    )
    assert.deepEqual(paths.map(([, path]) => basename(path)).sort(), Object.keys(secret.stringData).sort())
    assert.throws(
      () => settingsWith(secret.stringData),
      ({ mistakes }: SettingsError) => {
        const variables = mistakes.map((text) => text.match(/^POSTERN_\w+/)![0])
        return ['POSTERN_DATABASE_URL', 'POSTERN_OPERATOR_TOKEN', 'POSTERN_SECRET'].every((variable) => variables.includes(variable))
      },
    )
  })

  test('open the ports that the settings name, each with a service', () => {
    assert.deepEqual(
      ports.map(({ name, containerPort }) => [name, String(containerPort)]),
      [
        ['general', files.POSTERN_PORT],
        ['ads', files.POSTERN_ADS_PORT],
        ['ads-sandbox', files.POSTERN_ADS_SANDBOX_PORT],
        ['operator', files.POSTERN_OPERATOR_PORT],
      ],
    )
    const targets = all('Service').map(({ metadata, spec }) => [metadata.name, spec.ports[0].targetPort, spec.type])
    assert.deepEqual(targets, [
      ['postern', 'general', undefined],
      ['postern-ads', 'ads', undefined],
      ['postern-ads-sandbox', 'ads-sandbox', undefined],
      ['postern-operator', 'operator', 'ClusterIP'],
      ['postern-stream', 'general', undefined],
    ])
    assert.equal(pod.metadata.annotations['prometheus.io/port'], files.POSTERN_OPERATOR_PORT)
  })

  test('probe paths that exist, on the operator port, which answers until the end', () => {
    const paths = healthPages(async () => ({ failed: [], awaited: [] })).map(({ path }) => path)
    const { startupProbe, livenessProbe, readinessProbe } = container
    const probes = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)
    assert.deepEqual(
      probes.map(({ path }) => path),
      ['/readyz', '/livez', '/readyz'],
    )
    for (const { path, port } of probes) {
      assert.ok(paths.includes(path), path)
      assert.equal(port, 'operator')
    }
  })

  test('leave a process the 5 s of its drain and the 10 s of what is in flight before it is killed', () => {
    assert.ok(pod.spec.terminationGracePeriodSeconds > 5 + 10)
  })

  /** What selects the pods of a role. */
  const selectorsOf = (role: string, { spec }: typeof deployment) => {
    const isOfRole = (selector: Record<string, string>) => [undefined, role].includes(selector['app.kubernetes.io/component'])
    const selectors = [
      spec.selector.matchLabels,
      ...all('Service').map((service) => service.spec.selector),
      ...all('PodDisruptionBudget').map((budget) => budget.spec.selector.matchLabels),
      ...all('NetworkPolicy').map((policy) => policy.spec.podSelector.matchLabels),
      ...spec.template.spec.topologySpreadConstraints.map(
        (one: { labelSelector: { matchLabels: object } }) => one.labelSelector.matchLabels,
      ),
    ]
    return selectors.filter(isOfRole)
  }

  test('select the pods of each deployment', () => {
    const deployments = {
      api: deployment,
      delivery: named('Deployment', 'postern-delivery'),
      stream: named('Deployment', 'postern-stream'),
    }
    const counts = { api: 9, delivery: 5, stream: 6 }
    for (const [role, one] of Object.entries(deployments)) {
      const selectors = selectorsOf(role, one)
      assert.equal(selectors.length, counts[role as keyof typeof counts])
      for (const selector of selectors) assert.partialDeepStrictEqual(one.spec.template.metadata.labels, selector)
    }
  })

  test('have a deployment for each role, which differs from that of the base in its role, name, labels and ports alone', () => {
    const [api] = documentsOf(`${KUBERNETES}/roles/api.yaml`)
    const envOf = (one: typeof deployment) => one.spec.template.spec.containers[0].env
    assert.deepEqual([api!.metadata.name, envOf(api!)], ['postern', [{ name: 'POSTERN_ROLES', value: 'api' }]])
    for (const [role, names] of [
      ['delivery', ['operator']],
      ['stream', ['general', 'operator']],
    ] as const) {
      const one = named('Deployment', `postern-${role}`)
      assert.deepEqual(envOf(one), [{ name: 'POSTERN_ROLES', value: role }])
      const like = structuredClone(one)
      const [own] = like.spec.template.spec.containers
      assert.deepEqual(
        own.ports,
        ports.filter(({ name }) => (names as readonly string[]).includes(name)),
      )
      delete own.env
      own.ports = ports
      const text = JSON.stringify(like).replaceAll(`"app.kubernetes.io/component":"${role}"`, '"app.kubernetes.io/component":"api"')
      assert.deepEqual(JSON.parse(text.replace(`"name":"postern-${role}"`, '"name":"postern"')), deployment)
    }
  })

  test('let nobody but chosen pods reach the operator port, and everybody the others', () => {
    const rules: { ports: { port: string }[]; from?: object[] }[] = named('NetworkPolicy').spec.ingress
    const portsOf = (some: typeof rules) => some.flatMap((rule) => rule.ports.map(({ port }) => port))
    assert.deepEqual(portsOf(rules.filter(({ from }) => from === undefined)), ['general', 'ads', 'ads-sandbox'])
    assert.deepEqual(portsOf(rules.filter(({ from }) => from !== undefined)), ['operator'])
  })

  test('lead each public origin to the service of its host, and none to the operator port', () => {
    const { rules, tls } = named('Ingress').spec
    const led = rules.map(
      ({ host, http }: { host: string; http: { paths: { backend: { service: { name: string; port: object } } }[] } }) => [
        `https://${host}`,
        http.paths[0]!.backend.service,
      ],
    )
    const port = { name: 'http' }
    assert.deepEqual(led, [
      [files.POSTERN_BASE_URL, { name: 'postern', port }],
      [files.POSTERN_ADS_BASE_URL, { name: 'postern-ads', port }],
      [files.POSTERN_ADS_SANDBOX_BASE_URL, { name: 'postern-ads-sandbox', port }],
    ])
    assert.deepEqual(
      tls[0].hosts,
      rules.map(({ host }: { host: string }) => host),
    )
  })

  test('scale by the age of the queues, a metric that there is, up to as many processes as may share a database', () => {
    const { metrics, maxReplicas, scaleTargetRef } = named('HorizontalPodAutoscaler').spec
    const { name } = metrics[0].pods.metric
    const families = gaugeFamilies({ inFlight: 0, queued: {}, queueAgeMs: 0, retriesDue: 0, retriesPlanned: 0, webhooks: undefined })
    assert.ok(families.some((family) => family.name === name))
    const [{ rules }] = documentsOf(`${KUBERNETES}/example/prometheus-adapter.yaml`) as unknown as [
      { rules: { custom: { seriesQuery: string; name: object }[] } },
    ]
    assert.ok(rules.custom[0]!.seriesQuery.startsWith(`${name}{`))
    assert.deepEqual(rules.custom[0]!.name, { as: name })
    assert.ok(maxReplicas <= 64)
    assert.deepEqual(scaleTargetRef, { apiVersion: deployment.apiVersion, kind: 'Deployment', name: deployment.metadata.name })
  })

  test('run the image of this version as its user, without privileges, on a file system that cannot be written', () => {
    const [image] = kustomizationOf(`${KUBERNETES}/example`).images
    assert.equal(image.name, container.image)
    assert.equal(image.newTag, JSON.parse(read('postern/package.json')).version)
    const { runAsUser, runAsGroup, runAsNonRoot } = pod.spec.securityContext
    assert.ok(stageText('production').includes(`USER ${runAsUser}:${runAsGroup}\n`))
    assert.ok(runAsNonRoot)
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('keep the variables of services away, which would change settings of Postern', () => {
    assert.ok(all('Service').some(({ metadata }) => metadata.name === 'postern'))
    assert.equal(pod.spec.enableServiceLinks, false)
  })
})
