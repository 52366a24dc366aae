import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startRegistry } from './package-registry.ts'

const run = promisify(execFile)

/** A user's environment: nothing of this run, npm's own settings included. */
export const userEnvironment = (home: string): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|POSTERN_)/.test(name))),
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: home,
})

/** A project with an installed package. */
export interface Project {
  folder: string
  environment: Record<string, string | undefined>
  /** What `npm install` took, with an empty cache. */
  installMs: number
}

/**
 * Installs a package into a new project below `home`, with an empty cache, from a registry on loopback that has what is installed in this
 * repository and the folders of `built`. Install scripts are refused, so that one that is needed fails.
 */
export async function installFromRegistry(home: string, name: string, built: Readonly<Record<string, string>> = {}): Promise<Project> {
  const folder = join(home, 'project')
  const environment = userEnvironment(home)
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await using registry = await startRegistry(built)
  const quiet = ['--no-update-notifier', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact']
  const options = [...quiet, `--registry=${registry.url}`, `--cache=${join(home, 'cache')}`]
  const install = () => run('npm', ['install', ...options, name], { cwd: folder, env: environment })
  const startedMs = performance.now()
  await install()
  return { folder, environment, installMs: performance.now() - startedMs }
}
