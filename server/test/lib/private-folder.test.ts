import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makePrivateFolder } from '../../src/lib/private-folder.ts'

const folder = await mkdtemp(join(tmpdir(), 'postern-private-'))
after(() => rm(folder, { recursive: true }))

test('git takes nothing of a folder that is made, and nobody but its owner reads it', async () => {
  const path = join(folder, 'new/.postern')
  makePrivateFolder(path)
  assert.equal(await readFile(join(path, '.gitignore'), 'utf8'), '*\n')
  assert.equal((await stat(path)).mode & 0o777, 0o700)
  assert.deepEqual(await readdir(join(folder, 'new')), ['.postern'])
})

test('git takes nothing of a .postern that was there, unless its owner has decided otherwise', async () => {
  const [bare, decided] = [join(folder, 'bare/.postern'), join(folder, 'decided/.postern')]
  for (const path of [bare, decided]) await mkdir(path, { recursive: true })
  await writeFile(join(decided, '.gitignore'), 'secret\n')
  for (const path of [bare, decided]) makePrivateFolder(path)
  assert.equal(await readFile(join(bare, '.gitignore'), 'utf8'), '*\n')
  assert.equal(await readFile(join(decided, '.gitignore'), 'utf8'), 'secret\n')
})

test('any other folder that was there is left as it is', async () => {
  const path = join(folder, 'data')
  await mkdir(path)
  makePrivateFolder(path)
  assert.deepEqual(await readdir(path), [])
})
