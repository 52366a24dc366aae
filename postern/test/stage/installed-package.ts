import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage } from '../../../scripts/build-package.ts'
import { posternPackage } from '../../../scripts/packages.ts'
import { startRegistry } from './package-registry.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Runs a program; rejects with its `code`, `stdout` and `stderr` if it fails. */
export const run = promisify(execFile)

/** A project of a user who has installed the package. */
export interface Installed extends Disposable {
  project: string
  /** A user's environment: nothing of this run, npm's own settings included. */
  environment: Record<string, string | undefined>
  /** Makes a package of this repository known to the project, besides what it installed. */
  link(name: string): void
}

/** Builds the package, packs it, and installs it into an empty folder. */
export async function installPackage(): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-installed-'))
  const [built, project] = [join(folder, 'built'), join(folder, 'project')]
  const environment = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|POSTERN_)/.test(name))),
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
  }
  buildPackage({ ...posternPackage(), out: built })
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await using registry = await startRegistry({ postern: built })
  // Without install scripts, so that one that is needed makes the tests fail.
  const quiet = ['--no-update-notifier', '--no-audit', '--no-fund', '--ignore-scripts']
  const options = [...quiet, `--registry=${registry.url}`, `--cache=${join(folder, 'cache')}`]
  await run('npm', ['install', ...options, 'postern'], { cwd: project, env: environment })
  return {
    project,
    environment,
    link: (name) => symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
