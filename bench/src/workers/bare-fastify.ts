// Fastify alone: parses a JSON body if there is one, and always sends the same response.
import { fastify } from 'fastify'
import type { FixedResponse } from '../bare-fastify.ts'
import { readArgument, serve } from './serve.ts'

const { method, path, status, headers, body } = readArgument<FixedResponse>()
const app = fastify({ bodyLimit: 64 * 1024 * 1024 })
app.route({ method, url: path, handler: (_request, reply) => reply.code(status).headers(headers).send(body) })
const url = await app.listen({ port: 0, host: '127.0.0.1' })

serve(
  async () => ({ url }),
  () => app.close(),
)
