import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { pino } from 'pino'
import { createClock } from '../../src/lib/clock.ts'
import { reencrypt } from '../../src/storage/reencrypt.ts'
import { sealedColumns } from '../../src/storage/sql/stores/sealed-columns.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { anApp, aRequestToken, aUser, aUserToken, columnsOf, openAt, rawRows, SECRET } from './samples.ts'

const NEW = 'the new secret of at least 32 characters'
const APPS = 450

/** What the log is told while everything is sealed with the first of these secrets. */
async function toldOf(storage: Storage, secrets: readonly string[]): Promise<string[]> {
  const told: string[] = []
  await reencrypt(storage, secrets, pino({}, { write: (line: string) => void told.push(JSON.parse(line).msg) }))
  return told
}

for (const flavour of databasesOf(import.meta)) {
  suite(`a change of the sealing secret on ${flavour}`, () => {
    test('after re-encryption the former secret is no longer needed, whatever was encrypted with it', async () => {
      await using database = await migratedDatabase(flavour)
      const before = await openAt(database.url)
      const apps = Array.from({ length: APPS }, (_, n) => anApp({ id: String(n + 1), previousConsumerSecret: n % 2 ? 'before' : null }))
      for (const app of apps) await before.apps.insert(app)
      await before.bearerTokens.obtain('1', 'token', 1)
      await before.users.insert(aUser())
      await before.userTokens.insert(aUserToken())
      await before.requestTokens.insert(aRequestToken(), 0)
      await before.requestTokens.grant(aRequestToken().token, aUser(), 'verifier', 0)
      await before.close()

      const during = await openAt(database.url, createClock(), [NEW, SECRET])
      assert.deepEqual(await during.reencrypt(), { reencrypted: 2 * APPS + APPS / 2 + 6, unreadable: 0 })
      assert.deepEqual(await during.reencrypt(), { reencrypted: 0, unreadable: 0 })
      await during.close()

      const after = await openAt(database.url, createClock(), [NEW])
      assert.deepEqual(
        (await after.apps.list(null, APPS + 1)).toSorted((one, other) => Number(one.id) - Number(other.id)),
        apps,
      )
      assert.equal(await after.bearerTokens.obtain('1', 'other', 1), 'token')
      assert.deepEqual((await after.userTokens.find(aUserToken().token))?.token, aUserToken())
      assert.deepEqual(await after.requestTokens.find(aRequestToken().token, 0), { ...aRequestToken(), granted: true })
      const fresh = () => ({ token: 'fresh', secret: 'fresh', createdAtMs: 0 })
      assert.deepEqual(await after.requestTokens.exchange(aRequestToken().token, 'verifier', fresh, 0), aUserToken())
      await after.close()
      await assert.rejects(openAt(database.url), /POSTERN_SECRET does not match the secret/)
    })

    test('every column with sealed values is known as one', async () => {
      await using database = await migratedDatabase(flavour)
      await (await openAt(database.url)).close()
      const known = Object.values(sealedColumns).map(({ table, column }) => `${table}.${column}`)
      const sealed = (await columnsOf(database.url)).filter(({ column }) => column.endsWith('_sealed'))
      assert.deepEqual(sealed.map(({ table, column }) => `${table}.${column}`).toSorted(), known.toSorted())
      assert.equal(new Set(Object.values(sealedColumns).map(({ purpose }) => purpose)).size, known.length)
    })

    test('while a value cannot be decrypted, it says so, and the former secret is still needed', async () => {
      await using database = await migratedDatabase(flavour)
      const before = await openAt(database.url)
      await before.apps.insert(anApp())
      await before.apps.insert(anApp({ id: '2' }))
      await before.close()
      await rawRows(database.url, `update apps set consumer_secret_sealed = 'c3BvaWx0' where id = '1'`)

      const during = await openAt(database.url, createClock(), [NEW, SECRET])
      assert.deepEqual(await during.reencrypt(), { reencrypted: 3, unreadable: 1 })
      await during.close()
      await assert.rejects(openAt(database.url, createClock(), [NEW]), /POSTERN_SECRET does not match the secret/)
    })

    test('the log says that the former secret can be removed, or that it cannot, and nothing if there is none', async () => {
      await using database = await migratedDatabase(flavour)
      const before = await openAt(database.url)
      await before.apps.insert(anApp())
      assert.deepEqual(await toldOf(before, [SECRET]), [])
      await before.close()

      const during = await openAt(database.url, createClock(), [NEW, SECRET])
      const [canGo] = await toldOf(during, [NEW, SECRET])
      assert.match(canGo!, /all values use the first secret in POSTERN_SECRET, the other secrets can be removed/)
      await rawRows(database.url, `update apps set consumer_secret_sealed = 'c3BvaWx0' where id = '1'`)
      const [cannot] = await toldOf(during, [NEW, SECRET])
      assert.match(cannot!, /some values cannot be decrypted with any secret in POSTERN_SECRET: keep them all/)
      await during.close()
      const [again] = await toldOf(during, [NEW, SECRET])
      assert.match(again!, /could not re-encrypt secrets; the next start tries again/)
    })
  })
}
