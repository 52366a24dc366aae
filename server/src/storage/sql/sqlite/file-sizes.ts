import { stat, statfs } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Sizes } from '../../sizes.ts'

/** The state, the event log and the memberships; each has a write-ahead log beside it. */
const FILES = ['', '.events', '.audiences']
const WAL = '-wal'
const isOfLog = ({ name }: { name: string }) => /\.events(?:-wal)?$/.test(name)

async function diskOf(path: string): Promise<Sizes['disk']> {
  const { bavail, blocks, bsize } = await statfs(dirname(path))
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/** The files of a database. One in memory has none. */
export async function readFileSizes(path: string): Promise<Sizes> {
  if (path === ':memory:') return { parts: [], totalBytes: 0, logBytes: 0, walBytes: 0, disk: null }
  const paths = FILES.flatMap((suffix) => [path + suffix, path + suffix + WAL])
  const found = await Promise.all(
    paths.map(async (file) => ({ name: basename(file), bytes: (await stat(file).catch(() => undefined))?.size ?? 0 })),
  )
  const sum = (parts: Sizes['parts']) => parts.reduce((total, { bytes }) => total + bytes, 0)
  return {
    parts: found.filter(({ bytes }) => bytes > 0).sort((one, other) => other.bytes - one.bytes),
    totalBytes: sum(found),
    logBytes: sum(found.filter(isOfLog)),
    walBytes: sum(found.filter(({ name }) => name.endsWith(WAL))),
    disk: await diskOf(path),
  }
}
