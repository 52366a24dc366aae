import { BackupError, backUp, isUnavailable, type Manifest, restore, SettingsError, verifyBackup } from '../../../../server/src/backup.ts'
import type { Arguments, RunCommand } from '../command.ts'
import { EXIT, Failure, wrongUsage } from '../failure.ts'

const textOf = ({ options }: Arguments, name: string) => options[name] as string | undefined

/** What went wrong, as sentences for the operator; of a system or a database as it says. */
async function orFailure<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const { message, code, errcode, cause } = error as Error & { code?: unknown; errcode?: unknown }
    if (error instanceof SettingsError) throw new Failure(error.mistakes.join('\n'))
    if (error instanceof BackupError) throw new Failure(message)
    if (isUnavailable(error)) throw new Failure(cause instanceof Error ? `${message}\n${cause.name}: ${cause.message}` : message)
    if (code !== undefined || errcode !== undefined) throw new Failure(`Nothing was made: ${message}`)
    throw error
  }
}

/** What is in a backup, in numbers. */
function summaryOf({ made_at, version, database, tables, files, media, logs = [], logs_left_out = [] }: Manifest, folder: string) {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
  return {
    folder,
    made_at,
    version,
    database,
    tables: tables.length,
    rows: sum(tables.map(({ rows }) => rows)),
    media_files: media ? files.filter(({ path }) => path.startsWith('media/')).length : null,
    bytes: sum(files.map(({ bytes }) => bytes)),
    logs: logs.map(({ log, place, ...counted }) => ({ log, database: place, ...counted })),
    logs_left_out: logs_left_out.map(({ log, place }) => ({ log, database: place })),
  }
}

function sentenceOf({ made_at, version, database, tables, rows, media_files, bytes }: ReturnType<typeof summaryOf>) {
  const media = media_files === null ? 'no media' : `${media_files} files of media`
  return `${database} of version ${version} at ${made_at}: ${tables} tables with ${rows} rows, ${media}, ${bytes} bytes`
}

/** A line for each event log beside the database of the state. */
const logLines = ({ logs }: ReturnType<typeof summaryOf>) =>
  logs.map(({ log, database, rows, bytes }) => `event log ${log} of ${database}: ${rows} rows, ${bytes} bytes`)

/** What the backup lacks of a state that has several logs; undefined if nothing. */
const noteOfLeftOut = ({ logs_left_out: leftOut }: ReturnType<typeof summaryOf>) =>
  leftOut.length === 0
    ? undefined
    : `Not in it: ${leftOut.map(({ log, database }) => `event log ${log} of ${database}`).join(', ')}. Without --database, and with POSTERN_LOG_URLS, a backup has every event log.`

const LOG_TO = /^([1-9]\d{0,5})=(postgres(?:ql)?:\/\/.+)$/

/** Where the event logs go, by their numbers. The password of a URL is not repeated. */
function logUrlsOf({ lists }: Arguments): Map<number, string> {
  const urls = new Map<number, string>()
  for (const given of lists['log-to'] ?? []) {
    const [, log, url] = LOG_TO.exec(given) ?? []
    if (log === undefined) throw wrongUsage('--log-to must be the number of an event log and an empty database, as 2=postgres://….')
    if (urls.has(Number(log))) throw wrongUsage(`--log-to names event log ${log} twice.`)
    urls.set(Number(log), url!)
  }
  return urls
}

/** Backs up, or verifies a backup. */
export const runBackup: RunCommand = async (given, { out }) => {
  const [folder] = given.positionals as [string]
  const beside = ['database', 'media', 'without-media'].find((name) => given.options[name])
  if (given.options.verify && beside !== undefined) throw wrongUsage(`--verify takes no --${beside}: it reads the backup alone.`)
  const places = { folder, database: textOf(given, 'database'), mediaStore: textOf(given, 'media') }
  const isVerified = given.options.verify === true
  const withoutMedia = given.options['without-media'] === true
  const manifest = await orFailure(() => (isVerified ? verifyBackup(folder) : backUp({ ...places, withoutMedia })))
  const summary = summaryOf(manifest, folder)
  out.show({ data: summary }, () => [`${isVerified ? 'verified' : 'backed up and verified'}: ${sentenceOf(summary)}`, ...logLines(summary)])
  const leftOut = noteOfLeftOut(summary)
  if (leftOut !== undefined) out.note(leftOut)
  if (!isVerified) out.note('POSTERN_SECRET is not in it: without that secret nobody can use the tokens and secrets in this backup.')
  return EXIT.done
}

/** Restores a backup, or releases a copy. */
export const runRestore: RunCommand = async (given, context) => {
  const { out } = context
  const [folder] = given.positionals
  const to = textOf(given, 'to')
  if (given.options.release === true) {
    const beside = ['to', 'as-copy', 'log-to', 'media', 'without-media'].find((name) => given.options[name] ?? given.lists[name])
    if (folder !== undefined || beside !== undefined)
      throw wrongUsage(
        `--release takes no ${beside === undefined ? 'folder' : `--${beside}`}: it lets the running server send, and restores nothing.`,
      )
    const { data } = await context.server.operator('POST', '/operator/release')
    out.show({ data }, () => [
      data.was_held_since ? `released: it was held since ${data.was_held_since}` : 'It is not held: nothing changed.',
    ])
    return EXIT.done
  }
  if (folder === undefined || to === undefined)
    throw wrongUsage('Name the backup and the new database: postern restore <folder> --to <url>.')
  const asCopy = given.options['as-copy'] === true
  const places = { folder, database: to, mediaStore: textOf(given, 'media'), withoutMedia: given.options['without-media'] === true }
  const logUrls = logUrlsOf(given)
  const { manifest, logPlaces } = await orFailure(() => restore({ ...places, logUrls, asCopy }))
  const summary = summaryOf(manifest, folder)
  out.show({ data: { ...summary, as_copy: asCopy, log_places: logPlaces } }, () => [
    `restored: ${sentenceOf(summary)}`,
    ...logLines(summary),
  ])
  const leftOut = noteOfLeftOut(summary)
  if (leftOut !== undefined) out.note(leftOut)
  if (logPlaces.length > 0) out.note(`Its servers need POSTERN_LOG_URLS with ${logPlaces.join(', ')}.`)
  if (asCopy) out.note('It sends nothing until `postern restore --release`.')
  return EXIT.done
}
