// Fastify alone: parses JSON where there is any, and answers always the same.
import { fastify } from 'fastify'
import type { BareAnswer } from '../bare-fastify.ts'
import { argument, serve } from './serve.ts'

const { method, path, status, headers, body } = argument<BareAnswer>()
const app = fastify({ bodyLimit: 64 * 1024 * 1024 })
app.route({ method, url: path, handler: (_request, reply) => reply.code(status).headers(headers).send(body) })
const url = await app.listen({ port: 0, host: '127.0.0.1' })

serve(
  async () => ({ url }),
  () => app.close(),
)
