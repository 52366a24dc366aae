// Prints what of docs/ comes from code, for which it starts a PostgreSQL, and dist/openapi.json. `--check` writes nothing and fails when a
// page of docs/ is not fresh; with `--no-schema` it leaves the schemas out, and starts no database.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { duties } from '../src/settings/roles.ts'
import { fileVariableOf } from '../src/settings/secret-files.ts'
import { type Setting, settingsTable } from '../src/settings/setting-table.ts'
import { type TelemetryVariable, telemetryTable } from '../src/settings/telemetry-settings.ts'
import { type Role, roleNames } from '../src/storage/roles.ts'
import { startPostgres } from '../test/stage/postgres-server.ts'
import { allEndpoints } from './all-endpoints.ts'
import { endpointPage, writeDescription } from './api-pages.ts'
import { cliPage } from './cli-page.ts'
import { coveragePage } from './coverage-page.ts'
import { eventPage } from './event-page.ts'
import { kitTypes } from './kit-types.ts'
import { notHerePage } from './not-here-page.ts'
import { operatorTypes } from './operator-types.ts'
import { printSchema } from './print-schema.ts'

const docs = join(import.meta.dirname, '../../docs')

/** Code as the formatter of the repository lays it out. */
function formatted(code: string): string {
  const root = join(docs, '..')
  const { stdout, stderr, status } = spawnSync(join(root, 'node_modules/.bin/biome'), ['format', '--stdin-file-path=declared.ts'], {
    cwd: root,
    input: code,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

/** What processes do, by role. */
const rolesTable = () => {
  const rows = Object.values<{ what: string; roles: readonly Role[] }>(duties).map(
    ({ what, roles }) => `| ${what} | ${roleNames.map((role) => (roles.includes(role) ? 'yes' : '')).join(' | ')} |`,
  )
  return `| what a process does | ${roleNames.map((role) => `\`${role}\``).join(' | ')} |\n|---|${'---|'.repeat(roleNames.length)}\n${rows.join('\n')}\n`
}

const HEADINGS = '| variable | default | meaning |\n|---|---|---|'

const settingRow = ({ variable, shownDefault, meaning }: Pick<Setting<unknown>, 'variable' | 'shownDefault' | 'meaning'>) =>
  `| \`${variable}\` | ${shownDefault} | ${meaning} |`

const configuration = () => {
  const rows = Object.values<Setting<unknown>>(settingsTable).flatMap((row) => {
    const inFile = `| \`${fileVariableOf(row)}\` | – | Instead of \`${row.variable}\`: a file that holds its value. |`
    return [settingRow(row), ...(row.secret ? [inFile] : [])]
  })
  const telemetryRows = Object.values<TelemetryVariable<unknown>>(telemetryTable).map(settingRow)
  return `# Configuration

Every setting is an environment variable. A secret can also stand in a file: a newline at its end does not count, and a file that other users can read is warned of. Generated from \`server/src/settings/setting-table.ts\`.

${HEADINGS}
${rows.join('\n')}

## OpenTelemetry

[traces.md](traces.md) says what a collector gets. A wrong value is refused at the start, once something is to be sent. Generated from \`server/src/settings/telemetry-settings.ts\`.

${HEADINGS}
${telemetryRows.join('\n')}

## Roles

[roles.md](roles.md) says how to run processes with a part of the roles. Generated from \`server/src/settings/roles.ts\`.

${rolesTable()}`
}

async function postgresSchema() {
  const server = await startPostgres()
  try {
    return await printSchema('postgres', server.url)
  } finally {
    await server.stop()
  }
}

const schemas = async () => ({
  'schema/sqlite.sql': await printSchema('sqlite', 'sqlite::memory:'),
  'schema/postgres.sql': await postgresSchema(),
})

const pages: Record<string, string> = {
  '../console/src/declared.ts': formatted(operatorTypes()),
  '../postern/src/kit/declared.ts': formatted(kitTypes()),
  'cli.md': cliPage(),
  'configuration.md': configuration(),
  'coverage.md': await coveragePage(allEndpoints),
  'endpoints.md': endpointPage(),
  'events.md': eventPage(),
  'for-x-users.md': notHerePage(),
  ...(process.argv.includes('--no-schema') ? {} : await schemas()),
}

const isFresh = (path: string, text: string) => {
  try {
    return readFileSync(path, 'utf8') === text
  } catch {
    return false
  }
}

const checking = process.argv.includes('--check')
const stale = Object.entries(pages).filter(([name, page]) => !isFresh(join(docs, name), page))
for (const [name, page] of stale) {
  if (checking) process.stderr.write(`docs/${name} is not fresh: run npm run docs\n`)
  else writeFileSync(join(docs, name), page)
}
if (!checking) writeDescription()
if (checking && stale.length > 0) process.exitCode = 1
