import { didYouMean } from '../lib/nearest.ts'
import { type Mistake, messagesOf, SettingsError } from './mistakes.ts'
import { fileVariables, readableSecretFiles, readSecretFiles } from './secret-files.ts'
import { conflicts } from './setting-conflicts.ts'
import { type Profile, type Setting, type Settings, settingsTable } from './setting-table.ts'
import { type TelemetrySettings, telemetryOf } from './telemetry-settings.ts'

export { SettingsError } from './mistakes.ts'
export type { Settings } from './setting-table.ts'

type Environment = Record<string, string | undefined>

/** The text of a setting and where it stands, as the subject of a sentence. */
type Source = (row: Setting<unknown>) => { text: string | undefined; subject: string }

/** Reads a setting. If that fails it is as if it were unset, so that what depends on it can be looked at. */
function readOne(row: Setting<unknown>, profile: Profile, source: Source, mistakes: Mistake[]): unknown {
  const { variable } = row
  const { text, subject } = source(row)
  try {
    return text === undefined ? undefined : row.read(text)
  } catch (error) {
    mistakes.push(...messagesOf(error).map((message) => ({ variable, text: `${subject} ${message}` })))
    const fallback = row.fallback(profile)
    return fallback === undefined ? undefined : row.read(fallback)
  }
}

const knownVariables: readonly string[] = [...Object.values(settingsTable).map(({ variable }) => variable), ...fileVariables]

const PREFIX = 'POSTERN_'
const known = knownVariables.map((name) => name.slice(PREFIX.length))

/** What the command line reads: an operator's shell has it, and may start a server. */
const OF_COMMANDS: readonly string[] = ['POSTERN_URL', 'POSTERN_OPERATOR_URL', 'POSTERN_CONSUMER_SECRET']

/** A sentence for each of these names that is no setting. */
export function unknownSettings(names: readonly string[]): string[] {
  const unknown = names.filter((name) => !knownVariables.includes(name))
  const meant = (name: string) => didYouMean(name.replace(/^POSTERN_/, ''), known, PREFIX)
  return unknown.map((name) => [`unknown setting ${name}: check its spelling`, meant(name)].filter(Boolean).join('.'))
}

/** Sentences about variables that may not be what was meant: probably misspelt ones, and files with secrets that others can read. */
export function environmentWarnings(environment: Environment = process.env): string[] {
  const own = Object.keys(environment).filter((name) => name.startsWith('POSTERN_') && !name.startsWith('POSTERN_TEST_'))
  return [...unknownSettings(own.filter((name) => !OF_COMMANDS.includes(name))), ...readableSecretFiles(environment)]
}

/** What is empty and must not be: an empty secret is most often a file that could not be read. */
const emptySettings = (environment: Environment, profile: Profile): Mistake[] =>
  Object.values<Setting<unknown>>(settingsTable)
    .filter(({ isNeverEmpty }) => isNeverEmpty || profile === 'production')
    .filter(({ variable, notEmpty }) => notEmpty && environment[variable] === '')
    .map(({ variable, notEmpty }) => ({ variable, text: `${variable} is empty: ${notEmpty}` }))

/** Conflicts between settings that could be read: of the others it is not known what was meant. */
function conflictsBesides(mistakes: readonly Mistake[], settings: Settings): string[] {
  const wrong = new Set(mistakes.map(({ variable }) => variable))
  const isKnown = (sentence: string) => !sentence.match(/[A-Z_]+/g)?.some((word) => wrong.has(word))
  return conflicts(settings).filter(isKnown)
}

/**
 * Reads every setting, or throws a SettingsError that names everything wrong at once. An empty variable is one that is not set, unless
 * production must be told.
 */
export function readSettings(environment: Environment = process.env): Settings {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const profile: Profile = set.POSTERN_PROFILE === 'production' ? 'production' : 'development'
  const mistakes = emptySettings(environment, profile)
  const files = readSecretFiles(set, mistakes)
  const source: Source = (row) => {
    const file = files.get(row.variable)
    if (file) return { text: file.content, subject: `${row.variable}, read from ${file.path},` }
    return { text: set[row.variable] ?? row.fallback(profile), subject: row.variable }
  }
  const read = Object.entries<Setting<unknown>>(settingsTable).map(([name, row]) => [name, readOne(row, profile, source, mistakes)])
  const settings = Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Settings
  const all = [...mistakes.map(({ text }) => text), ...conflictsBesides(mistakes, settings)]
  if (all.length > 0) throw new SettingsError(all)
  return settings
}

/** Where the data are, by the environment alone: what else is set or missing does not matter to a backup. Throws a SettingsError. */
export function readPlaces(environment: Environment = process.env): Pick<Settings, 'databaseUrl' | 'logUrls' | 'mediaStore'> {
  const { POSTERN_DATABASE_URL, POSTERN_DATABASE_URL_FILE, POSTERN_LOG_URLS, POSTERN_LOG_URLS_FILE, POSTERN_MEDIA_STORE } = environment
  return readSettings({ POSTERN_DATABASE_URL, POSTERN_DATABASE_URL_FILE, POSTERN_LOG_URLS, POSTERN_LOG_URLS_FILE, POSTERN_MEDIA_STORE })
}

/** What is sent to a collector of OpenTelemetry; undefined if none is named. Throws a SettingsError. */
export const readTelemetry = (environment: Environment = process.env): TelemetrySettings | undefined => telemetryOf(environment)
