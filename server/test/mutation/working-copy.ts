import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A copy of the repository that may be changed, with the packages of the original. */
export interface WorkingCopy extends Disposable {
  root: string
}

const PACKAGES = ['node_modules', 'server/node_modules']

/** Copies what git knows of, changed or not. */
export function copyRepository(root: string): WorkingCopy {
  const copy = mkdtempSync(join(tmpdir(), 'postern-mutants-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const file of files.split('\n'))
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file), { recursive: true })
  for (const folder of PACKAGES)
    if (existsSync(join(root, folder)) && existsSync(dirname(join(copy, folder)))) symlinkSync(join(root, folder), join(copy, folder))
  return { root: copy, [Symbol.dispose]: () => rmSync(copy, { recursive: true, force: true }) }
}
