import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
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

/** Installs a package of npm into an empty folder; `postern` is built for it. */
export async function installed(name: 'postern' | 'emulate'): Promise<InstalledPackage> {
  const home = await temporaryFolder()
  const out = join(home.path, 'built')
  if (name === 'postern') await buildPackage({ ...posternPackage(), out })
  const project = await installFromRegistry(home.path, name, name === 'postern' ? { postern: out } : {})
  return { ...project, ...(await sizeOf(project.folder)), [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() }
}
