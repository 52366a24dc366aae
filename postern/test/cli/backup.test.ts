import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { backupFolder } from '../../../server/test/stage/backups.ts'
import { setStage } from '../../../server/test/stage/postern.ts'
import { endCommands, runCommand } from './command.ts'

after(endCommands)

async function done(args: string[], environment: Record<string, string>) {
  const { code, stdout, stderr } = await runCommand(args, { environment })
  assert.equal(code, 0, stderr)
  return { stdout, stderr }
}

test('a backup is made beside the server, verified, restored as a copy and released', async () => {
  await using stage = await setStage({ fresh: true })
  await using folder = await backupFolder()
  const database = { POSTERN_DATABASE_URL: stage.databaseUrl }
  const made = await done(['backup', folder.at('one')], database)
  assert.match(
    made.stdout,
    /^backed up and verified: sqlite of version \S+ at \S+Z: \d+ tables with \d+ rows, 0 files of media, \d+ bytes\n$/,
  )
  assert.match(made.stderr, /^POSTERN_SECRET is not in it/)
  assert.match((await done(['backup', folder.at('one'), '--verify'], {})).stdout, /^verified: sqlite/)
  const url = `sqlite:${folder.at('copy/postern.db')}`
  const { stdout } = await done(['restore', folder.at('one'), '--to', url, '--as-copy', '--json'], {})
  assert.deepEqual(
    Object.entries(JSON.parse(stdout).data).filter(([name]) => ['database', 'as_copy', 'media_files'].includes(name)),
    [
      ['database', 'sqlite'],
      ['media_files', 0],
      ['as_copy', true],
    ],
  )
  const again = await runCommand(['restore', folder.at('one'), '--to', url])
  assert.deepEqual([again.code, /is not empty: there is .*postern\.db/.test(again.stderr)], [1, true])
  await using copy = await setStage({ environment: { POSTERN_DATABASE_URL: url }, seed: {} })
  const release = () => runCommand(['restore', '--release'], { url: copy.origins.base_url })
  assert.match((await release()).stdout, /^released: it was held since \S+Z\n$/)
  assert.match((await release()).stdout, /^It is not held: nothing changed\.\n$/)
})

test('what cannot be done is refused with the next step', async () => {
  await using folder = await backupFolder()
  const refused = async (...args: string[]) => {
    const { code, stderr } = await runCommand(args, { cwd: folder.at('') })
    return `${code} ${stderr.split('\n')[0]}`
  }
  assert.equal(await refused('restore', 'one'), '2 Name the backup and the new database: postern restore <folder> --to <url>.')
  assert.match(await refused('restore', 'one', '--release'), /^2 --release takes no folder/)
  assert.match(await refused('backup', 'one'), /^1 There is no database at \.postern\/postern\.db: /)
  assert.match(await refused('backup', 'one', '--verify'), /^1 one has no manifest\.json/)
  for (const [manifest, why] of [
    ['{', 'it is not JSON'],
    ['null', 'it has no format'],
    ['{ "format": 1 }', 'parts are missing'],
  ] as const) {
    await mkdir(folder.at('damaged'), { recursive: true })
    await writeFile(folder.at('damaged/manifest.json'), manifest)
    const says = `1 damaged/manifest.json is damaged: ${why}. Use another backup.`
    assert.deepEqual(
      [await refused('backup', 'damaged', '--verify'), await refused('restore', 'damaged', '--to', 'sqlite:new.db')],
      [says, says],
    )
  }
  await rm(folder.at('damaged'), { recursive: true })
  assert.match(await refused('backup', 'one', '--database', 'mysql://x'), /^1 .*POSTERN_DATABASE_URL must be sqlite:<file>/)
  assert.match(await refused('backup', 'one', '--database', 'sqlite::memory:'), /^1 A database in memory has no backups/)
  assert.match(
    await refused('backup', 'one', '--database', 'postgres://p:secret@127.0.0.1:1/x'),
    /^1 PostgreSQL at 127\.0\.0\.1:1\/x cannot be reached: /,
  )
  assert.deepEqual(await readdir(folder.at('')), [])
})
