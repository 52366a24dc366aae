// Fastify alone: parses a JSON body if there is one, and always sends the same response.
import { fastify } from 'fastify'
import type { FixedResponse } from '../http-load.ts'
import { serve } from '../worker.ts'

const app = fastify({ bodyLimit: 64 * 1024 * 1024 })

serve(
  async ({ method, path, status, headers, body }: FixedResponse) => {
    app.route({ method, url: path, handler: (_request, reply) => reply.code(status).headers(headers).send(body) })
    return { url: await app.listen({ port: 0, host: '127.0.0.1' }) }
  },
  () => app.close(),
)
