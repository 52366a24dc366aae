// node:http alone: streams the body of each request into a file, syncs it, and removes it.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { temporaryFolder } from '../temporary-folder.ts'
import { serve } from './serve.ts'

const folder = await temporaryFolder()
const path = join(folder.path, 'body')

const server = createServer(async (request, response) => {
  await pipeline(request, createWriteStream(path, { flush: true }))
  await rm(path)
  response.end('{}')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

serve(
  async () => ({ url }),
  async () => {
    server.close()
    server.closeAllConnections()
    await folder[Symbol.asyncDispose]()
  },
)
