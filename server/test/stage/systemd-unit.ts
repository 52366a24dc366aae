import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** What the sections `[Service]` of a unit and its drop-ins say, in order. */
async function readService(folder: string, name: string): Promise<[key: string, value: string][]> {
  const dropIns = await readdir(join(folder, `${name}.service.d`)).catch(() => [])
  const files = [join(folder, `${name}.service`), ...dropIns.map((file) => join(folder, `${name}.service.d`, file))]
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return texts.flatMap((text) => {
    const section = text.split(/^\[Service\]$/m)[1]!.split(/^\[/m)[0]!
    return [...section.matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]): [string, string] => [key!, value!])
  })
}

const assignments = (text: string) => Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]))

export interface Service extends AsyncDisposable {
  /** What it logged. */
  // biome-ignore lint/suspicious/noExplicitAny: log lines have members of every kind
  lines: any[]
  /** Sends SIGTERM; answers the exit code. */
  stop(): Promise<number | null>
}

async function untilReady(child: ChildProcess, lines: Service['lines']) {
  let said = ''
  child.stderr!.on('data', (chunk) => (said += chunk))
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      lines.push(JSON.parse(line))
      if (lines.at(-1).msg === 'ready') resolve()
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${said}`)))
  })
}

/**
 * Starts a service as systemd would: with its credentials, environment and state directory, but as this user and without hardening.
 * `root` is where the machine's folders are; `more` is set besides, as on a machine where something else has the default ports.
 */
export async function startService(root: string, name: string, more: Record<string, string>): Promise<Service> {
  const service = await readService(join(root, 'etc/systemd/system'), name)
  const all = (key: string) => service.filter(([found]) => found === key).map(([, value]) => value)
  const credentials = join(root, 'run/credentials', `${name}.service`)
  await mkdir(credentials, { recursive: true })
  for (const credential of all('LoadCredential')) {
    const [id = '', path = ''] = credential.split(':')
    await copyFile(path, join(credentials, id))
    await chmod(join(credentials, id), 0o400)
  }
  for (const state of all('StateDirectory')) await mkdir(join(root, 'var/lib', state), { recursive: true, mode: 0o700 })
  const environment = all('Environment').map((value) => assignments(value.replaceAll('%d', credentials)))
  const files = await Promise.all(all('EnvironmentFile').map((path) => readFile(path, 'utf8')))
  const [command = '', ...parameters] = all('ExecStart')[0]!.split(' ')
  const { PATH = '' } = process.env
  const child = spawn(command, parameters, {
    cwd: all('WorkingDirectory')[0],
    env: Object.assign({ PATH }, ...environment, ...files.map(assignments), more),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: Service['lines'] = []
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
    return child.exitCode
  }
  await untilReady(child, lines)
  return {
    lines,
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}
