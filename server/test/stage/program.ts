import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A program of JavaScript in a folder of its own. `args` are its arguments; `isFirst` says whether it runs for the first time. */
export async function program(code: string) {
  const folder = await mkdtemp(join(tmpdir(), 'postern-program-'))
  const [path, run] = [join(folder, 'program'), join(folder, 'run')]
  const before = `
    const fs = require('node:fs'); const args = process.argv.slice(2)
    const isFirst = !fs.existsSync(${JSON.stringify(run)}); fs.writeFileSync(${JSON.stringify(run)}, '')`
  await writeFile(path, `#!${process.execPath}\n${before}\n${code}\n`)
  await chmod(path, 0o755)
  return { path, hasRun: () => existsSync(run), [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}
