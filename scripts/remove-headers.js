// After an install, on the Node that npm runs on: the package `node` brings the headers for native addons, 67 MB, and nothing here builds one.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../node_modules/node')
const builds = join(folder, 'node_modules')
const packages = existsSync(builds)
  ? readdirSync(builds)
      .filter((name) => name.startsWith('node-'))
      .map((name) => join(builds, name))
  : []
for (const path of [folder, ...packages]) rmSync(join(path, 'include'), { recursive: true, force: true })
