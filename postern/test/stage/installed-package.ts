import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage } from '../../../scripts/build-package.ts'
import { installFromRegistry, type Project } from '../../../scripts/install-from-registry.ts'
import { posternPackage } from '../../../scripts/packages.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Runs a program; rejects with its `code`, `stdout` and `stderr` if it fails. */
export const run = promisify(execFile)

/** A project of a user who has installed the package. */
export interface Installed extends Project, Disposable {
  /** Makes a package known to the project besides what it installed. `packages` is where it is, the repository's folder when left out. */
  link(name: string, packages?: string): void
}

/** Builds the package and installs it into an empty folder. */
export async function installPackage(): Promise<Installed> {
  const home = mkdtempSync(join(tmpdir(), 'postern-installed-'))
  const out = join(home, 'built')
  await buildPackage({ ...posternPackage(), out })
  const project = await installFromRegistry(home, 'postern', { postern: out })
  return {
    ...project,
    link: (name, packages = join(root, 'node_modules')) => symlinkSync(join(packages, name), join(project.folder, 'node_modules', name)),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}
