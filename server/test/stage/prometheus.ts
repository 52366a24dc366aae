import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { pause } from './pause.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers have members of every kind
type Data = any

export interface Prometheus extends AsyncDisposable {
  /** The result of a query at this moment. */
  query(expression: string): Promise<unknown[]>
  /** Every rule, with the health of its last evaluation. */
  rules(): Promise<{ name: string; health: string }[]>
  /** The names of the alerts that fire now. */
  firing(): Promise<string[]>
}

/** A real Prometheus with a file of rules, which scrapes every second and evaluates as often. */
export async function startPrometheus(rules: string, ...targets: readonly string[]): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-prometheus-'))
  const port = await freePort()
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'postern', static_configs: [{ targets: targets.map((target) => new URL(target).host) }] }],
  }
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(configuration))
  const flags = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`]
  const child = spawn('prometheus', flags, { stdio: 'ignore' })
  const get = async (path: string): Promise<Data> => {
    const answer = (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as Data
    assert.equal(answer.status, 'success', `${path}: ${answer.error}`)
    return answer.data
  }
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (child.exitCode === null && !(await isReady())) await pause()
  assert.equal(child.exitCode, null, 'prometheus ended')
  return {
    query: async (expression) => (await get(`/api/v1/query?query=${encodeURIComponent(expression)}`)).result,
    rules: async () => (await get('/api/v1/rules')).groups.flatMap((group: Data) => group.rules),
    firing: async () =>
      (await get('/api/v1/alerts')).alerts
        .filter(({ state }: Data) => state === 'firing')
        .map(({ labels }: Data) => labels.alertname as string),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}
