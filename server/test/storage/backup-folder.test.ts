import assert from 'node:assert/strict'
import { existsSync, readlinkSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { suite, test } from 'node:test'
import { verifyBackup } from '../../src/storage/backup/backup.ts'
import type { Manifest } from '../../src/storage/backup/manifest.ts'
import { backUpFrom, backupFolder, restoreTo } from '../stage/backups.ts'
import { type Flavour, freshDatabase, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { dumpOf } from '../stage/dump.ts'
import { setStage } from '../stage/postern.ts'

const MEDIA = ['media/3_1/original', 'segments/7/0']

async function addMedia(folder: string) {
  for (const key of MEDIA) {
    await mkdir(dirname(join(folder, key)), { recursive: true })
    await writeFile(join(folder, key), key)
  }
}

/** A server has made its event log too. */
async function usedDatabase(flavour: Flavour) {
  const database = await migratedDatabase(flavour)
  const stage = await setStage({ environment: { POSTERN_DATABASE_URL: database.url } })
  await stage.end()
  return database
}

for (const flavour of databasesOf(import.meta))
  suite(`the folder of a backup of ${flavour}`, () => {
    test('is on the disk with all files and folders before the manifest says that it is complete', {
      skip: process.platform !== 'linux' && 'needs /proc',
    }, async (t) => {
      await using source = await usedDatabase(flavour)
      await using folder = await backupFolder()
      await addMedia(folder.at('store'))
      const probe = await open(folder.at(''))
      const handles = Object.getPrototypeOf(probe)
      await probe.close()
      const { sync } = handles
      const synced = new Set<string>()
      const partial = folder.at('one.partial')
      t.mock.method(handles, 'sync', function (this: { fd: number }) {
        if (!existsSync(join(partial, 'manifest.json'))) synced.add(relative(partial, readlinkSync(`/proc/self/fd/${this.fd}`)))
        return sync.call(this)
      })
      await backUpFrom(source.url, folder.at('one'), folder.at('store'))
      const all = (await readdir(folder.at('one'), { recursive: true })).filter((path) => path !== 'manifest.json')
      assert.ok(all.includes('media/media/3_1/original') && all.includes('media/segments/7'))
      assert.deepEqual(
        [...all, ''].filter((path) => !synced.has(path)),
        [],
      )
    })

    test('is read only where its own files are: paths that lead elsewhere, links and strange names are refused', async () => {
      await using source = await usedDatabase(flavour)
      await using target = await freshDatabase(flavour)
      await using folder = await backupFolder()
      await addMedia(folder.at('store'))
      const at = folder.at('one')
      await backUpFrom(source.url, at, folder.at('store'))
      const place = join(at, 'manifest.json')
      const good = await readFile(place, 'utf8')
      const refuses = async (change: (manifest: Manifest) => void) => {
        const manifest: Manifest = JSON.parse(good)
        change(manifest)
        await writeFile(place, JSON.stringify(manifest))
        await assert.rejects(restoreTo(target.url, at, folder.at('media')), {
          message: /manifest\.json is damaged: it has .*, which no backup of this format has\. Use another backup\.$/,
        })
      }
      const found = { bytes: 4, sha256: '' }
      for (const path of ['/etc/passwd', '../secret', 'media/../../secret', 'media/./x', 'media//x', 'tables/../x.ndjson.gz', 'other', ''])
        await refuses(({ files }) => files.push({ ...found, path }))
      await refuses(({ files }) => files.push(null as never))
      await refuses(({ tables }) => {
        tables[0]!.file = '../secret'
      })
      await refuses(({ tables }) => tables.push({ ...tables[0]!, name: 'apps"; drop table users; --', rows: 0 }))
      await refuses(({ sequences }) => {
        sequences.events = '0); drop table users; --' as never
      })
      await writeFile(place, good)

      const media = join(at, 'media/media/3_1')
      await rename(join(media, 'original'), folder.at('elsewhere'))
      await symlink(folder.at('elsewhere'), join(media, 'original'))
      const isLink = { message: /original is a link, or in a folder that is one: put the file itself there\.$/ }
      await assert.rejects(restoreTo(target.url, at, folder.at('media')), isLink)
      await unlink(join(media, 'original'))
      await rename(folder.at('elsewhere'), join(media, 'original'))
      await rename(media, folder.at('folder'))
      await symlink(folder.at('folder'), media)
      await assert.rejects(restoreTo(target.url, at, folder.at('media')), isLink)
      await unlink(media)
      await rename(folder.at('folder'), media)
      assert.deepEqual(await dumpOf(target.url), {})

      await symlink(at, folder.at('link'))
      await verifyBackup(folder.at('link'))
    })
  })
