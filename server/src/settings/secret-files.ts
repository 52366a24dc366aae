import { statSync } from 'node:fs'
import { textOf } from './file-readers.ts'
import type { Mistake } from './mistakes.ts'
import { type Setting, settingsTable } from './setting-table.ts'

type Environment = Record<string, string | undefined>

const secretSettings = (Object.values(settingsTable) as Setting<unknown>[]).filter(({ secret }) => secret)

/** The variable that names a file with the value of a secret setting. */
export const fileVariableOf = ({ variable }: Pick<Setting<unknown>, 'variable'>): string => `${variable}_FILE`

/** All variables that name a file with a secret. */
export const fileVariables: readonly string[] = secretSettings.map(fileVariableOf)

/** The content of a file without the newline at its end. Throws an Error whose message follows the variable. */
function contentOf(path: string): string {
  const content = textOf(path).replace(/[\r\n]+$/, '')
  if (content.trim() === '') throw new Error(`names ${path}, which is empty: write the secret into it`)
  return content
}

/** The values of secrets that files hold, by the setting's variable. What is wrong is added to `mistakes`. */
export function readSecretFiles(environment: Environment, mistakes: Mistake[]): Map<string, { path: string; content: string }> {
  const found = new Map<string, { path: string; content: string }>()
  for (const row of secretSettings) {
    const { variable } = row
    const mistaken = (text: string) => mistakes.push({ variable, text })
    const name = fileVariableOf(row)
    const path = environment[name]
    if (path === undefined) continue
    if (environment[variable] !== undefined) mistaken(`${variable} and ${name} are both set: remove one of them`)
    try {
      found.set(variable, { path, content: contentOf(path) })
    } catch (error) {
      mistaken(`${name} ${(error as Error).message}`)
    }
  }
  return found
}

/** Whether others can read a file. A group may where the file is not ours: then somebody gave it to the group for us. */
function isReadableByOthers(path: string): boolean {
  const { mode = 0, uid } = statSync(path, { throwIfNoEntry: false }) ?? {}
  const isOurs = uid === process.getuid?.()
  return (mode & 0o007) !== 0 || (isOurs && (mode & 0o070) !== 0)
}

/** Sentences about files with secrets that others can read too. Windows has no such modes. */
export function readableSecretFiles(environment: Environment): string[] {
  if (process.platform === 'win32') return []
  return fileVariables.flatMap((name) => {
    const path = environment[name]
    return path && isReadableByOthers(path) ? [`${name} names ${path}, which other users can read: chmod 600 it`] : []
  })
}
