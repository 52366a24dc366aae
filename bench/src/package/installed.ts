import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { buildPackage } from '../../../scripts/build-package.ts'
import { installFromRegistry, type Project } from '../../../scripts/install-from-registry.ts'
import { posternPackage } from '../../../scripts/packages.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export interface InstalledPackage extends Project, AsyncDisposable {
  bytes: number
  files: number
}

/** The size of all packages of a project. */
async function sizeOf(folder: string): Promise<{ bytes: number; files: number }> {
  const entries = await readdir(join(folder, 'node_modules'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))
  return { files: files.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** The folder with `emulate` and what it needs. */
const baseline = resolve(import.meta.dirname, '../../baseline/node_modules')

/** The packages of the baseline by their folders. Throws when they are not installed. */
async function baselinePackages(): Promise<Record<string, string>> {
  const names = await readdir(baseline).catch(() => assert.fail('run this first: npm ci --prefix bench/baseline'))
  return Object.fromEntries(names.filter((name) => !name.startsWith('.')).map((name) => [name, join(baseline, name)]))
}

/** Installs a package of npm into an empty folder; `postern` is built for it. */
export async function installed(name: 'postern' | 'emulate'): Promise<InstalledPackage> {
  const home = await temporaryFolder()
  const out = join(home.path, 'built')
  if (name === 'postern') await buildPackage({ ...posternPackage(), out })
  const project = await installFromRegistry(home.path, name, name === 'postern' ? { postern: out } : await baselinePackages())
  return { ...project, ...(await sizeOf(project.folder)), [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() }
}
