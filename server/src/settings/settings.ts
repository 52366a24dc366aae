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

function readOne(name: string, row: Setting<unknown>, profile: Profile, environment: Environment, mistakes: string[]) {
  const text = environment[row.variable] ?? row.fallback(profile)
  if (text === undefined) return []
  try {
    return [[name, row.read(text)]]
  } catch (error) {
    mistakes.push(`${row.variable} ${(error as Error).message}`)
    return []
  }
}

/** Variables that look like settings and are none: probably misspelt. */
export function unknownVariables(environment: Environment = process.env): string[] {
  const known = new Set<string>(Object.values(settingsTable).map(({ variable }) => variable))
  return Object.keys(environment).filter((name) => name.startsWith('POSTERN_') && !name.startsWith('POSTERN_TEST_') && !known.has(name))
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
  const read = Object.entries(settingsTable).flatMap(([name, row]) => readOne(name, row as Setting<unknown>, profile, set, mistakes))
  if (mistakes.length > 0) throw new SettingsError(mistakes)
  const settings = Object.fromEntries(read) as Settings
  const found = conflicts(settings)
  if (found.length > 0) throw new SettingsError(found)
  return settings
}
