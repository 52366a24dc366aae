import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

const BUCKET = 'media-of-tests'

interface Context {
  method: string
  query: Record<string, string | undefined>
  status: number
  type: string
  body: string
}

const listOf = (entries: { key: string; id: string; initiated: Date }[]) =>
  `<ListMultipartUploadsResult>${entries
    .map(
      ({ key, id, initiated }) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
    )
    .join('')}</ListMultipartUploadsResult>`

/** What the server lacks of uploads in parts: to list and to abort those that are not complete. It has a folder for each. */
const unfinishedUploads = (folder: string) => async (context: Context, next: () => Promise<void>) => {
  const { method, query } = context
  if (method === 'DELETE' && query.uploadId !== undefined) {
    await rm(join(folder, query.uploadId), { recursive: true })
    context.status = 204
  } else if (method === 'GET' && query.uploads !== undefined) {
    const ids = await readdir(folder).catch(() => [])
    const keys = ids.map(async (id) => {
      const path = join(folder, id, 'key')
      return { id, key: await readFile(path, 'utf8'), initiated: (await stat(path)).mtime }
    })
    context.type = 'application/xml'
    const found = await Promise.all(keys)
    context.body = listOf(found.filter(({ key }) => key.startsWith(query.prefix ?? '')))
  } else await next()
}

/** A server that speaks S3, on loopback, with one bucket. Its credentials are in the environment, where the library looks for them. */
export async function startS3() {
  process.env.AWS_ACCESS_KEY_ID = 'S3RVER'
  process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER'
  const directory = await mkdtemp(join(tmpdir(), 'postern-s3-'))
  const server = new S3rver({
    directory,
    address: '127.0.0.1',
    port: 0,
    silent: true,
    configureBuckets: [{ name: BUCKET, configs: [] }],
    // It signs the path of a bucket with a slash that clients do not send.
    allowMismatchedSignatures: true,
  })
  server.middleware.unshift(unfinishedUploads(join(directory, BUCKET, '._S3rver_uploads')))
  const { port } = (await server.run()) as AddressInfo
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await server.close()
  }
  return {
    /** For `POSTERN_MEDIA_STORE`. */
    store: `s3://${BUCKET}/some/prefix?endpoint=http://127.0.0.1:${port}&region=eu-central-1`,
    /** The store of a bucket that does not exist there. */
    missing: `s3://no-such-bucket?endpoint=http://127.0.0.1:${port}`,
    /** What is on its disk: objects, and parts of those that are not complete. */
    files: async () =>
      (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name),
    close,
    async [Symbol.asyncDispose]() {
      await close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
