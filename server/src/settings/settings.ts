import { fileVariables, readableSecretFiles, readSecretFiles } from './secret-files.ts'
import { conflicts } from './setting-conflicts.ts'
import { type Profile, type Setting, type Settings, settingsTable } from './setting-table.ts'

export type { Settings } from './setting-table.ts'

/** The settings cannot be used; `mistakes` names each with what to do. */
export class SettingsError extends Error {
  readonly mistakes: string[]
  constructor(mistakes: string[]) {
    super(`Postern cannot start:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`)
    this.mistakes = mistakes
  }
}

type Environment = Record<string, string | undefined>

/** The text of a setting and where it stands, as the subject of a sentence. */
type Source = (row: Setting<unknown>) => { text: string | undefined; subject: string }

function readOne(name: string, row: Setting<unknown>, source: Source, mistakes: string[]) {
  const { text, subject } = source(row)
  if (text === undefined) return []
  try {
    return [[name, row.read(text)]]
  } catch (error) {
    mistakes.push(`${subject} ${(error as Error).message}`)
    return []
  }
}

/** Sentences about variables that may not be what was meant: probably misspelt ones, and files with secrets that others can read. */
export function environmentWarnings(environment: Environment = process.env): string[] {
  const known = new Set<string>([...Object.values(settingsTable).map(({ variable }) => variable), ...fileVariables])
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('POSTERN_') && !name.startsWith('POSTERN_TEST_') && !known.has(name),
  )
  return [...unknown.map((name) => `unknown setting ${name}: check its spelling`), ...readableSecretFiles(environment)]
}

/** What is empty and must not be: an empty secret is most often a file that could not be read. */
const emptySettings = (environment: Environment): string[] =>
  Object.values<Setting<unknown>>(settingsTable)
    .filter(({ variable, notEmpty }) => notEmpty && environment[variable] === '')
    .map(({ variable, notEmpty }) => `${variable} is empty: ${notEmpty}`)

/**
 * Reads every setting, or throws a SettingsError that names everything wrong at once. An empty variable is one that is not set, unless
 * production must be told.
 */
export function readSettings(environment: Environment = process.env): Settings {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const profile: Profile = set.POSTERN_PROFILE === 'production' ? 'production' : 'development'
  const mistakes: string[] = profile === 'production' ? emptySettings(environment) : []
  const files = readSecretFiles(set, mistakes)
  const source: Source = (row) => {
    const file = files.get(row.variable)
    if (file) return { text: file.content, subject: `${row.variable}, read from ${file.path},` }
    return { text: set[row.variable] ?? row.fallback(profile), subject: row.variable }
  }
  const read = Object.entries(settingsTable).flatMap(([name, row]) => readOne(name, row as Setting<unknown>, source, mistakes))
  if (mistakes.length > 0) throw new SettingsError(mistakes)
  const settings = Object.fromEntries(read) as Settings
  const found = conflicts(settings)
  if (found.length > 0) throw new SettingsError(found)
  return settings
}
